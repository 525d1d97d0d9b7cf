// Takes in the papers of a class by the keyboard alone. Each number is judged as it is typed, by the
// paper's own numbers before it, then by the mistakes that the key knows; what is right by none of
// these may be a typing error and is asked for again. Marking knows more mistakes.
"use strict";
(() => {
  const { hash, headings, ids, students, forms, file, words } = entry;
  const put = (text, gaps) => text.replace(/\{(\w+)\}/g, (_, gap) => String(gaps[gap]));
  const find = (id) => document.getElementById(id);
  const made = (tag, properties, ...parts) => {
    const one = Object.assign(document.createElement(tag), properties);
    one.append(...parts);
    return one;
  };
  const [nameField, idField, formField, blanks] = ["name", "number", "form", "blanks"].map(find);
  const say = (text) => { find("status").textContent = text; };

  // -- what is said of each blank of a paper -------------------------------------------------------

  const isBlank = (text) => /^[-\u2010-\u2015\u2212]?$/.test(text);
  const isWithin = (number, [low, high]) => {
    const noise = 1e-12 * Math.max(1, Math.abs(number));
    return number === low || (number >= low - noise && number <= high + noise);
  };
  const valueOf = (text) => { // NaN of no number
    const read = numberOf(text);
    return Array.isArray(read) ? Number(read[0]) / Number(read[1]) : read ? Number(read.replace("∞", "Infinity")) : NaN;
  };
  const textOf = (paper, { id }) => (paper.answers[id] ?? "").trim();
  const judges = {};
  const byOwnNumbers = (form, texts) => { // of each blank whose number the judge of its part knows, what it says
    const { items, parts } = forms[form], found = [];
    judges[form] ??= parts.map((part) => part.quantities && judgeOf(part));
    for (const [part, judge] of judges[form].entries()) {
      const own = items.flatMap(({ at }, k) => (at?.[0] === part ? [k] : []));
      const answers = own.map((n) => {
        const [, q, k] = items[n].at;
        return { q, k, number: NaN, places: 0, ...numberToJudge(texts[n], judge.quantities[q].decimals) };
      });
      const said = own.length ? judge.verdicts(answers) : [];
      for (const [k, n] of own.entries()) if (!judge.quantities[items[n].at[1]].key) found[n] = said[k]; // else it has no formula
    }
    return found;
  };
  const judged = (paper) => { // of each blank a state, and what is said
    const { items } = forms[paper.form], texts = items.map((item) => textOf(paper, item)), numbers = texts.map(valueOf);
    const told = byOwnNumbers(paper.form, texts);
    return items.map((item, k) => {
      const [text, number] = [texts[k], numbers[k]];
      const doubt = (why) => paper.kept[item.id] === text ? ["kept", words.kept] : ["doubt", put(words.look_again, { text, why })];
      if (isBlank(text)) return text && "most" in item ? ["taken", put(words.earned, { number: 0, most: item.most })] : ["", ""];
      if (item.options) {
        const [option, label] = [item.options, item.labels].map((known) => known.findIndex((one) => wordsOf(one) === wordsOf(text.replace(/^([^]*[^.:])?[.:]*$/, "$1"))));
        return option + label === -2 ? doubt(words.no_option) : ["taken", item.options[Math.max(option, label)]];
      }
      const apart = item.whole && /^-?\d{1,3}([.,])\d{3}(\1\d{3})*$/.test(text); // thousands of a whole number
      if (apart && isWithin(Number(text.replace(/[.,]/g, "")), item.accepted)) return ["right", words.right];
      if (Number.isNaN(number)) return doubt(words.no_number);
      if ("most" in item) return !text.includes("/") && isWithin(number, [0, item.most]) ? ["taken", put(words.earned, { number, most: item.most })] : doubt(put(words.not_between, { most: item.most }));
      const isRight = told[k] ? told[k] === "right" : isWithin(number, item.accepted);
      if (isRight) return ["right", words.right];
      if (told[k] === "follows") return ["follows", words.follows];
      if (told[k] === "few") return ["few", words.few];
      const slip = item.slips.find((one) => isWithin(number, one));
      return slip ? ["slip", put(words.mistake, { mistake: slip[2] })] : doubt(words.unlike);
    });
  };
  const doubtsIn = (said) => said.filter(([state]) => state === "doubt").length;
  const firstOf = (said, wanted) => said.findIndex(([state]) => state === wanted);

  // -- papers, which the browser keeps -------------------------------------------------------------

  const names = Object.keys(forms), key = `attncli entry ${hash}`;
  const draft = (form) => ({ name: "", id: "", form, answers: {}, kept: {}, done: false });
  const hasAnswers = (paper) => Object.values(paper.answers).some((text) => !isBlank(text.trim()));
  const whose = ({ name, id }) => id || name;
  const isOf = (paper, [name, id]) => (paper.id ? paper.id === id : Boolean(name) && paper.name === name);
  const isListed = (paper) => students.some((student) => isOf(paper, student));
  const isPaper = (some) => names.includes(some.form) && Object.entries(draft(some.form)).every(([name, value]) => typeof some[name] === typeof value) && [some.answers, some.kept].every((texts) => Object.values(texts).every((text) => typeof text === "string"));
  let papers = [draft(names[0])], now = papers[0], asked = null, typing = null;
  try {
    const kept = JSON.parse(localStorage.getItem(key));
    if (kept.papers.every(isPaper) && kept.papers[kept.now]) [papers, now] = [kept.papers, kept.papers[kept.now]];
  } catch { /* nothing is kept, or nothing that can be read */ }
  const keep = () => {
    try {
      localStorage.setItem(key, JSON.stringify({ papers, now: papers.indexOf(now) }));
    } catch { say(words.keeps_nothing); }
  };

  // -- the paper that is typed in ------------------------------------------------------------------

  const inputs = () => [...blanks.querySelectorAll("input")];
  let said = [];
  const paint = () => {
    said = judged(now);
    now.doubts = doubtsIn(said);
    for (const [k, input] of inputs().entries()) {
      const half = said[k][0] === "doubt" && input === typing && asked?.text !== input.value.trim(); // a number that is being typed
      const [state, says] = half ? ["", ""] : said[k];
      input.parentElement.dataset.state = state;
      input.ariaInvalid = String(state === "doubt");
      input.nextElementSibling.textContent = says;
    }
  };
  const distance = (one, other) => { // how many letters are to be changed
    let before = [...other, ""].map((_, k) => k);
    for (const [n, letter] of [...one].entries()) {
      const row = [n + 1];
      for (const [k, its] of [...other].entries()) row.push(Math.min(before[k + 1] + 1, row[k] + 1, before[k] + (letter !== its)));
      before = row;
    }
    return before.at(-1);
  };
  const meant = (paper) => { // who of the list has a name, or an ID, that is like a paper's
    const typed = (paper.name || paper.id).toLowerCase(), near = students.map(([name, id]) => [distance(typed, (paper.name ? name : id).toLowerCase()), name, id]);
    const [far, ...student] = near.reduce((best, one) => (one[0] < best[0] ? one : best), [Infinity]);
    return far * 3 <= typed.length ? student : [];
  };
  const stranger = (paper) => { // that the list has nobody of a paper's name, and who may be meant
    if (!students.length || !whose(paper) || isListed(paper)) return "";
    const [name, id] = meant(paper);
    return words.stranger + (name || id ? put(words.nearest, { name, id }) : "");
  };
  const named = (most) => { // of whom there is no paper, if there are any papers
    const there = papers.filter(hasAnswers), missing = there.length ? students.filter((student) => !there.some((paper) => isOf(paper, student))) : [];
    const more = missing.length > 3 ? put(words.and_more, { count: missing.length - 3 }) : "";
    return missing.length && missing.length <= most ? put(words.missing, { names: missing.slice(0, 3).map(([name]) => name).join(" · ") }) + more : "";
  };
  const list = () => {
    const there = papers.filter(hasAnswers), done = there.filter((paper) => paper.done);
    const strange = students.length ? done.filter((paper) => !isListed(paper)).length : 0, missing = named(3);
    find("count").textContent = put(students.length ? words.done_of : words.done, { count: done.length - strange, all: students.length }) + (strange ? put(words.strangers, { count: strange }) : "") + (missing && `.${missing}`);
    find("papers").replaceChildren(...there.map((paper) => {
      const text = put(words.listed, { name: paper.name || paper.id || words.nobodys, form: paper.form }) + (paper.doubts ? put(words.to_look_at, { count: paper.doubts }) : "") + (stranger(paper) ? `, ${words.stranger}` : "");
      return made("li", {}, made("button", { type: "button", textContent: text, onclick: () => open(paper) }));
    }));
  };
  const blankOf = (item, k, heading) => {
    const hint = item.options ? item.labels.join(" ") : "most" in item ? put(words.points, { most: item.most }) : "";
    const input = made("input", { id: `b${k}`, placeholder: hint, value: now.answers[item.id] ?? "", maxLength: 200, autocomplete: "off", spellcheck: false });
    input.setAttribute("aria-describedby", `s${k}`);
    input.addEventListener("input", () => {
      now.answers[item.id] = input.value;
      typing = input;
      if (asked) asked.again = true;
      keep();
      paint();
    });
    input.addEventListener("keydown", (event) => pressed(event, input, item, k));
    input.addEventListener("focus", () => { input.select(); asked = typing = null; paint(); });
    const label = made("label", { htmlFor: input.id, textContent: item.id, title: heading });
    return made("div", { className: "field" }, label, input, made("span", { className: "said", id: `s${k}` }));
  };
  const tell = () => { // beside the name that it isn't on the list
    find("who").textContent = stranger(now);
    nameField.ariaInvalid = String(Boolean(stranger(now)));
  };
  const show = () => {
    const { sections, items } = forms[now.form];
    let k = 0;
    [nameField.value, idField.value, formField.value, asked] = [now.name, now.id, now.form, null];
    tell();
    blanks.replaceChildren(...sections.map(({ heading, rows }) => {
      const lines = rows.map((count) => made("div", { className: "row" }, ...items.slice(k, k + count).map((item) => blankOf(item, k++, heading))));
      const head = made(rows.length ? "h3" : "h2", { textContent: heading });
      return rows.length ? made("section", {}, head, ...lines) : head;
    }));
    paint();
    list();
  };
  const toBlank = (k) => inputs()[k]?.focus();
  const open = (paper) => {
    papers = papers.filter((one) => one === paper || hasAnswers(one));
    now = paper;
    keep();
    show();
    toBlank(Math.max(firstOf(said, "doubt"), 0));
  };
  let audio = null;
  const beep = () => { // who types looks at the paper
    audio ??= new AudioContext();
    const tone = audio.createOscillator();
    tone.connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.12);
  };
  const mayLeave = (input, item, k) => { // asks once whether that is what the paper says
    const [state, says] = said[k], text = textOf(now, item);
    if (state !== "doubt") return true;
    if (asked?.input === input && asked.text === text) {
      if (asked.again) now.kept[item.id] = text;
      return true;
    }
    asked = { input, text, again: false };
    input.select();
    say(put(words.again, { blank: item.id, why: says }));
    beep();
    paint();
    return false;
  };
  const pressed = (event, input, item, k) => {
    const keeps = event.key === "*" && asked?.input === input && !asked.again;
    const ahead = ["Enter", "ArrowDown", "Tab"].includes(event.key) && !event.shiftKey;
    if (event.ctrlKey || event.metaKey || !(keeps || ahead || event.key === "ArrowUp")) return;
    if (event.key !== "Tab") event.preventDefault();
    if (keeps) now.kept[item.id] = textOf(now, item);
    if (ahead && !mayLeave(input, item, k)) return event.preventDefault();
    if (ahead || keeps) say("");
    keep();
    paint();
    if (event.key === "ArrowUp") toBlank(k - 1);
    else if (k + 1 < inputs().length) event.key !== "Tab" && toBlank(k + 1);
    else if (event.key === "Enter" || keeps) next();
  };

  // -- whose paper it is ---------------------------------------------------------------------------

  const settle = () => { // whether a student of the list, or of a paper, is meant; undefined where another paper is opened or has the name
    const [name0, id0] = [nameField, idField].map((field) => field.value.trim());
    const isOver = name0 && now.name && now.id && id0 === now.id && name0 !== now.name; // a name typed over another leaves the ID of that behind
    const typed = [name0, isOver ? "" : id0].map((text) => text.toLowerCase());
    const known = [...students, ...papers.filter((paper) => paper !== now).map(({ name, id, form }) => [name, id, form])];
    const exact = known.filter(([name, id]) => (typed[1] ? id.toLowerCase() === typed[1] : typed[0] && [name, id].some((text) => text.toLowerCase() === typed[0])));
    const found = exact.length || typed[1] || !typed[0] ? exact : students.filter(([name]) => name.toLowerCase().startsWith(typed[0]));
    const one = found.length && new Set(found.map(([name, id]) => id || name)).size === 1 ? found[0] : null;
    const [name, id, form] = one ?? [name0, isOver ? "" : id0, now.form];
    const other = papers.find((paper) => paper !== now && whose(paper) && whose(paper) === whose({ name, id }));
    if (other && hasAnswers(now) && !whose(now)) return say(put(words.another, { name: name || id }));
    if (other) {
      say(hasAnswers(now) ? put(words.opened, { name: name || id, other: now.name || now.id }) : "");
      return open(other);
    }
    const was = now.name || now.id, isOther = was && hasAnswers(now) && (name || id) && name !== now.name && (now.name || now.id !== id);
    const isNew = isOther && !isOf({ name, id }, meant(now)) && confirm(put(words.anew, { name: name || id, other: was })); // else that name was wrong
    const ownID = isOver && !one && !isNew && !isListed({ name: "", id: id0 }) ? id0 : id;
    if (isNew) papers.push(now = draft(now.form));
    const moved = isNew || (form !== now.form && !hasAnswers(now));
    Object.assign(now, { name, id: ownID }, moved && names.includes(form) ? { form } : {});
    if (isOther) say(put(isNew ? words.begun : words.renamed, { name: name || id, other: was }));
    keep();
    if (moved) show();
    else [nameField.value, idField.value] = [name, ownID];
    tell();
    list();
    paint();
    return one !== null;
  };
  const isNaming = () => [nameField, idField].includes(document.activeElement);
  const next = () => {
    const all = inputs(), k = firstOf(said, "doubt"), own = now;
    if (isNaming() && (settle() === undefined || own !== now)) return undefined;
    if (hasAnswers(now) && !whose(now)) {
      nameField.focus();
      return say(words.whose);
    }
    if (k >= 0 && !now.done && all[k] !== asked?.input) {
      all[k].focus();
      mayLeave(all[k], forms[now.form].items[k], k);
      return undefined;
    }
    now.done = hasAnswers(now);
    say(now.done ? put(words.taken, { name: now.name || now.id }) : "");
    papers = papers.filter((paper) => hasAnswers(paper));
    papers.push(now = draft(now.form));
    keep();
    show();
    nameField.focus();
    return scrollTo(0, 0);
  };
  for (const field of [nameField, idField]) field.addEventListener("change", settle);
  formField.addEventListener("change", () => {
    now.form = formField.value;
    const here = forms[now.form].items.map(({ id }) => id);
    const count = Object.entries(now.answers).filter(([id, text]) => !isBlank(text.trim()) && !here.includes(id)).length;
    say(count ? put(words.no_place, { count, form: now.form }) : "");
    keep();
    show();
  });
  for (const [field, beyond] of [[nameField, idField], [idField, formField], [formField, null]]) {
    field.addEventListener("keydown", (event) => {
      const tab = event.key === "Tab" && !event.shiftKey && field.value.trim();
      if (!(event.key === "Enter" || tab) || event.ctrlKey || event.metaKey) return;
      const own = now, known = beyond ? settle() : true;
      if (known || !tab || (known === undefined && own !== now)) event.preventDefault();
      if (known) toBlank(0);
      else if (known === false && !tab) beyond.focus();
    });
  }

  // -- the table of the class, guarded as notation/escaping.py says -------------------------------

  const obeyed = "[\\s\"]*[=+\\-@＝＋－＠']", changed = "(?=[.,:/ -]*\\p{Nd})[\\p{Nd}.,:/ -]*(?:[eE][+-]?\\p{Nd}+)?%?$|true$|false$", unchanged = "(?:0|[1-9][0-9]{0,14})$";
  const toGuard = new RegExp(`(?:^|(?<=;))(?=${obeyed}|(?<!;)(?!${unchanged})(?:${changed}))`, "giu"), theGuard = new RegExp(`(?:^|(?<=;))'(?=${obeyed}|(?<!;')(?:${changed}))`, "giu");
  const guarded = (text) => text.replace(toGuard, "'"), unguarded = (text) => text.trim().replace(theGuard, "");
  const cellOf = (text) => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const byHand = new Set(Object.values(forms).flatMap(({ items }) => items.filter((item) => "most" in item).map(({ id }) => id)));
  const answerOf = (text, id) => (isBlank(text) ? (text && byHand.has(id) ? "0" : "") : /^[+-]?\d+(?:[.,]\d+)?$/.test(text) ? text : guarded(text));
  const save = () => {
    if (isNaming()) settle();
    const typed = papers.filter(hasAnswers);
    const listed = students.map(([name, id, form]) => typed.find((paper) => whose(paper) === whose({ name, id })) ?? { name, id, form, answers: {} });
    const all = [...listed, ...typed.filter((paper) => !listed.includes(paper))];
    const rows = all.map((paper) => [...[paper.name, paper.id, paper.form].map(guarded), ...ids.map((id) => answerOf(textOf(paper, { id }), id))]);
    const text = [headings, ...rows].map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
    made("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: file }).click();
    say(put(words.saved, { count: typed.length, file }) + named(Infinity));
  };
  const rowsOf = (text) => {
    const first = text.split("\n", 1)[0];
    const mark = [",", ";", "\t"].sort((a, b) => first.split(b).length - first.split(a).length)[0];
    const rows = [[]], cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${mark}\r\n]*))(${mark}|\r?\n|$)`, "g");
    for (const [, quoted, plain, end] of text.replace(/^\ufeff/, "").matchAll(cell)) {
      rows.at(-1).push(quoted?.replaceAll('""', '"') ?? plain);
      if (end !== mark) rows.push([]);
    }
    return rows.filter((row) => row.some((one) => one.trim()));
  };
  const load = (text) => {
    const [top = [], ...rows] = rowsOf(text), known = headings.map(unguarded);
    const columns = top.map((heading) => ids[known.indexOf(unguarded(heading)) - 3]);
    const [student, id, form] = headings.slice(0, 3).map((heading) => top.indexOf(heading));
    if (student < 0 || form < 0) return say(words.no_table);
    const read = rows.map((row) => {
      const own = [student, id, form].map((k) => unguarded(row[k] ?? ""));
      const answers = Object.fromEntries(columns.map((one, k) => [one, unguarded(row[k] ?? "")]).filter(([one]) => one));
      return { ...draft(own[2]), name: own[0], id: own[1], answers, done: true };
    }).filter(hasAnswers);
    const ofForms = read.filter((paper) => names.includes(paper.form)), typedOf = (paper) => papers.find((one) => whose(paper) && whose(one) === whose(paper) && hasAnswers(one));
    const isOther = (paper, one) => one.form !== paper.form || ids.some((id) => answerOf(textOf(one, { id }), id) !== answerOf(textOf(paper, { id }), id));
    const others = ofForms.filter((paper) => typedOf(paper) && isOther(paper, typedOf(paper)));
    const stay = others.length && !confirm(put(words.replace, { names: others.map(({ name, id }) => name || id).join(" · ") })) ? others : [];
    const taken = ofForms.filter((paper) => !stay.includes(paper));
    for (const paper of taken) {
      paper.kept = typedOf(paper)?.kept ?? {};
      paper.doubts = doubtsIn(judged(paper));
    }
    papers = [...papers.filter((one) => hasAnswers(one) && !taken.some((paper) => typedOf(paper) === one)), ...taken];
    papers.push(now = draft(names[0]));
    keep();
    show();
    nameField.focus();
    const [left, doubts] = [read.length - ofForms.length, taken.filter((paper) => paper.doubts).length];
    return say(put(words.loaded, { count: taken.length, doubts }) + (stay.length ? put(words.stay, { count: stay.length }) : "") + (left ? put(words.left_out, { count: left }) : ""));
  };
  const forget = () => {
    if (!confirm(words.sure)) return;
    papers = [now = draft(names[0])];
    try { localStorage.removeItem(key); } catch { /* this browser keeps nothing */ }
    show();
    nameField.focus();
  };

  find("file").addEventListener("change", ({ target }) => target.files[0].text().then(load).finally(() => { target.value = ""; }));
  const orders = { next, save, load: () => find("file").click(), forget };
  for (const [id, order] of Object.entries(orders)) find(id).addEventListener("click", order);
  addEventListener("keydown", (event) => {
    const order = (event.ctrlKey || event.metaKey) && { Enter: next, s: save, o: orders.load }[event.key];
    if (!order) return;
    event.preventDefault();
    order();
  });
  formField.append(...names.map((name) => made("option", { textContent: name })));
  find("students").append(...students.map(([name, id]) => made("option", { value: name, textContent: id })));
  show();
  if (whose(now)) toBlank(Math.max(firstOf(said, ""), 0));
  else nameField.focus();
})();
