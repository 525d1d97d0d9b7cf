// Works the page again when a number that is given, the rounding, the scale, the mask, the variant or the temperature
// is changed: every number that follows, its lines of working, the signs between them, shades and pictures; and marks
// what differs from the scenario.
"use strict";
(async () => {
  const data = await unpacked(document.getElementById("live").textContent);
  for (const by of [data.choices, data.places]) Object.setPrototypeOf(by, null); // an address may say "constructor"
  const page = window.attncli, main = document.querySelector("main");
  const bar = document.getElementById("changes"), done = bar.querySelector(".done"), made = done.querySelector(".made");
  // places are written as how far they are from the one before
  const placed = (parts, at = { before: 0 }) => parts.map((part) => (Array.isArray(part) ? placed(part, at) : typeof part === "number" ? (at.before += part) : part));
  const inPlaces = (html, changed) => html.replace(/(?<= data-)(n|from)="([-\d ]+)"/g, (_, name, places) => `${name}="${changed(places.split(" ").map(Number)).join(" ")}"`);
  const withPlaces = (html, at = { before: 0 }) => inPlaces(html, (places) => placed(places, at));
  const placesApart = (html, before = 0) => inPlaces(html, (places) => places.map((place) => { const apart = place - before; before = place; return apart; }));
  const versions = data.quantities.map((quantities, k) => ({
    quantities, given: data.given[k], entries: data.entries.map((alike) => alike[k] ?? alike[0]), numbers: placed(data.numbers[k]), told: data.told[k],
    mistakes: data.mistakes[k], choices: data.others[k - 1], contents: data.contents[k - 1],
  }));
  const [own] = versions; // the page as it was written, then those with other choices
  // a section of another one is there where it isn't as here, by its lines: many are the page's own
  const lines = [...page.written.flatMap((html) => placesApart(html).split("\n")), ...data.lines.split("\n")];
  const ofLines = (runs) => runs && withPlaces(runs.flatMap(([from, many]) => lines.slice(from, from + many)).join("\n"));
  versions.forEach((one, k) => { one.main = (k ? data.sections.map((alike, j) => ofLines(alike[k - 1]) ?? page.written[j]) : page.written).join("\n"); });
  own.contents = document.querySelector("nav.contents").innerHTML;
  own.choices = Object.entries(data.choices).filter(([key]) => !key.startsWith("rounding.")).map(([key, [value]]) => `${key}=${value}`);
  let changes = new Map(); // by their keys as `--set` takes them, in the order in which they were made
  let version = own, worked;
  let past = [], lately; // the changes before each of them, and the key of the last one

  // -- what is changed -----------------------------------------------------------------------------

  const chosen = (key) => changes.get(key) ?? data.choices[key]?.[0] ?? numberOf(key);
  const meant = () => {
    const wanted = own.choices.map((choice) => `${choice.split("=")[0]}=${chosen(choice.split("=")[0])}`).join();
    return versions.find((one) => one.choices.join() === wanted);
  };

  // the quantities with the numbers that were changed
  const worth = (of, all) => {
    const quantities = of.quantities.map((its) => ({ ...its, numbers: its.numbers && [...its.numbers] }));
    const named = new Map(quantities.map((its) => [its.name, its]));
    for (const [key, value] of all) {
      const [name, row, column] = (of.given || data.places)[key] || []; // a variant may give others
      const its = named.get(name);
      if (its) its.numbers[row * its.columns + column] = value;
    }
    const policy = all.get("rounding.policy") ?? data.policy;
    return new Evaluator({ policy, decimals: Number(all.get("rounding.decimals") ?? data.decimals), quantities });
  };

  const refused = (key, value) => {
    if (data.choices[key]) return isOffered(key, value) && meant() ? "" : `with ${chosenNow()} this can't be worked here`;
    if (!data.places[key]) return `${key} can't be changed here`;
    return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?$/i.test(value) ? "" : `“${value}” is not a number; give one such as 0.5 or -2`;
  };

  const chosenNow = () => own.choices.map((choice) => choice.split("=")[0]).filter((key) => changes.has(key)).map((key) => `${key} ${called(key, changes.get(key))}`).join(" and ");
  const option = (key, value) => [...bar.querySelector(`[data-key="${key}"]`)?.options || []].find((one) => one.value === value);
  const isOffered = (key, value) => Boolean(option(key, value));
  const called = (key, value) => {
    const text = option(key, value)?.textContent ?? value;
    return text.startsWith(`${value}: `) ? value : text; // without what that means
  };

  // `more` of a number that is dragged, or changed step by step, is one change with what was before
  const change = (key, value, more) => page.keepInSight(() => {
    const before = new Map(changes);
    const isOwn = data.choices[key] ? value === data.choices[key][0] : value === numberOf(key);
    changes.delete(key);
    if (!isOwn) changes.set(key, value);
    const trouble = attempt(before, refused(key, value));
    if (trouble) document.dispatchEvent(new CustomEvent("attn:refused", { detail: { key, text: trouble } }));
    else {
      if (!more || lately !== key) past.push(before);
      if ([...past.at(-1)].join() === [...changes].join()) past.pop(); // back where it was
      lately = key;
    }
    if (!trouble || !data.places[key]) tell(trouble);
  });

  const numberOf = (key) => {
    const [name, row, column] = data.places[key] || [];
    const its = own.quantities.find((one) => one.name === name);
    return its?.numbers[row * its.columns + column].replace("−", "-");
  };

  // works what follows, or says why that can't be and stays with what was
  const attempt = (before, wrong) => {
    let trouble = wrong;
    if (!trouble) {
      try {
        worked = worth(meant(), changes);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        trouble = error.message;
      }
    }
    if (trouble) changes = before;
    else renew();
    return trouble;
  };

  // -- what is said of it: above the page, and in its address ----------------------------------------

  const tell = (trouble) => {
    for (const choice of bar.querySelectorAll("[data-key]")) if (!trouble || choice !== document.activeElement || choice.localName === "select") choice.value = chosen(choice.dataset.key);
    const is = (key) => data.choices[key]?.[0] ?? numberOf(key);
    const list = [...changes].map(([key, value]) => `${key.replace(",", ", ")} ${called(key, is(key))} → ${called(key, value)}`.replace(/ -(?=[\d.])/g, " −")).join("; ");
    const other = changes.size ? new Set([...main.querySelectorAll(".changed[data-n]")].map((shown) => version.entries[shown.dataset.n][0])).size : 0;
    const differs = `${other || "No"} number${other > 1 ? "s differ" : " differs"}.`;
    made.replaceChildren();
    if (trouble) made.append(...whole(`${trouble}. `));
    if (list) made.append(page.element("span", { className: "list" }, ...whole(`Changed: ${list}. `)));
    if (list) made.append(other ? page.element("button", { type: "button", textContent: differs }) : differs);
    else if (past.length) made.append("Everything is as at first.");
    gone = undefined;
    made.classList.toggle("wrong", Boolean(trouble));
    const isSaid = [...changes.keys()].every((key) => !data.places[key] || data.places[key].length > 3); // in a place of its own
    const does = { undo: past.length, again: changes.size, save: changes.size && isSaid };
    for (const button of done.querySelectorAll("[data-do]")) button.hidden = !does[button.dataset.do];
    const hash = [...changes].map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
    if (hash !== location.hash.slice(1)) history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  };

  // an index stays in one piece
  const whole = (text) => text.split(/((?<!\w)\w*\[[^[\]]*\])/).filter(Boolean).map((textContent) => (/^\w*\[/.test(textContent) && textContent.includes(", ") ? page.element("span", { className: "option", textContent }) : textContent));

  // to the first number that differs of those below, then of the next section with some, at last from the top again
  let gone; // the section that was gone to
  const toNext = () => {
    const all = [...main.querySelectorAll(":scope > section .changed[data-n]")].filter((one) => one.checkVisibility()), follows = all.filter((one) => !one.dataset.set);
    const sectionOf = (one) => page.sections.indexOf(one.closest("main > section")), { bottom } = made.getBoundingClientRect();
    const low = document.body.matches(".bench") ? 0 : bottom, those = follows.length ? follows : all;
    const to = those.find((one) => (gone === undefined ? one.getBoundingClientRect().top > low : sectionOf(one) > gone)) ?? those[0];
    if (!to) return;
    gone = sectionOf(to);
    page.hide();
    page.makeCurrent(to);
    to.focus({ preventScroll: true }); // its working is shown
    to.scrollIntoView({ block: "center", inline: "nearest" });
  };
  made.addEventListener("click", ({ target }) => target.matches("button") && toNext());

  // goes to other changes; what was pressed may be gone then, and what was changed has the focus
  const goTo = (others) => {
    page.keepInSight(() => {
      changes = others;
      attempt(changes);
      tell("");
    });
    if ([bar, done].some((one) => one.contains(document.activeElement)) && document.activeElement.checkVisibility()) return;
    const last = `[data-key="${lately}"], [data-set="${CSS.escape(lately)}"]`;
    [...document.querySelectorAll(lately ? last : "[data-key]")].find((one) => one.checkVisibility())?.focus({ preventScroll: true });
  };
  const DO = {
    undo: () => goTo(past.pop()),
    again: () => { past.push(changes); goTo(new Map()); },
    save: () => {
      download();
      tell("");
      made.append(page.element("span", { className: "list", textContent: ` ${data.file} is saved with your downloads.` }));
    },
  };
  done.addEventListener("click", ({ target }) => DO[target.dataset.do]?.());

  const told = () => {
    if (!location.hash.includes("=")) return;
    changeTo(location.hash.slice(1).split("&").map((pair) => /^([^=]*)=?([^]*)$/.exec(pair).slice(1).map(decoded)));
  };
  const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } }; // it may be cut off anywhere

  const changeTo = (pairs) => {
    const before = changes;
    changes = new Map(pairs);
    page.keepInSight(() => tell(attempt(before, pairs.map((pair) => refused(...pair)).find(Boolean))));
  };

  // the scenario's text, as its author laid it out, with what was changed
  const asScenario = () => {
    const at = new Map();
    for (const [key, value] of changes) {
      const [start, end, before, after] = (data.choices[key] || data.places[key]).slice(data.choices[key] ? 1 : 3);
      if (start === undefined) continue; // a variant: the scenario has it
      const there = at.get(start), inside = before.indexOf("{") + 1;
      // two keys of a map that isn't there yet are one map
      if (inside && there?.[1].startsWith(before.slice(0, inside))) there[1] = there[1].replace(/}(\s*)$/, `, ${before.slice(inside)}${value}}$1`);
      else if (there) there[1] += before + value + after;
      else at.set(start, [end, before + value + after]);
    }
    const text = [...data.text];
    for (const [start, [end, put]] of [...at].sort(([a], [b]) => b - a)) text.splice(start, end - start, put);
    return text.join("");
  };

  const download = () => {
    const address = URL.createObjectURL(new Blob([asScenario()], { type: "text/yaml" }));
    Object.assign(document.createElement("a"), { href: address, download: data.file }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };

  // -- what is shown of it ---------------------------------------------------------------------------

  const numberAt = (n, by = worked, of = version) => {
    const number = of.numbers[n];
    return typeof number === "number" ? by.shown(number) : by.inner(number);
  };
  const isCell = (n) => typeof version.numbers[n] === "number";
  const relation = (places) => (places.every((n) => worked[isCell(n) ? "relation" : "isRounded"](version.numbers[n])) ? "=" : "≈");
  // whether a line says how its number is worked here: a condition in it may be met no more
  const holds = (n) => !(n in version.told) || worked.isWorked(version.numbers[n], version.told[n]);
  const written = (number, looks) => {
    const text = Evaluator.text(number), below = text.startsWith("−");
    if (looks.includes("after")) return below ? ["− ", text.slice(1)] : ["+ ", text];
    return ["", looks.includes("held") && (below || text.includes("e")) ? `(${text})` : text];
  };

  // what is told of a number: texts, and numbers with their places
  page.entry = (n) => {
    const [name, ...parts] = version.entries[n], flipped = !holds(n);
    const told = flipped ? parts.slice(parts.findLastIndex((part) => part[1] === "of")) : parts;
    const shown = told.flatMap((part) => {
      if (!Array.isArray(part)) return [part];
      const [apart, ...looks] = part, place = Number(n) + apart;
      if (looks[0] === "of") return [`${flipped ? " " : ""}${relation([place])}`];
      const [sign, text] = written(numberAt(place), looks);
      return sign ? [sign, [text, place]] : [[text, place]];
    });
    return [name, ...shown];
  };

  const put = (element, text) => {
    if (element.textContent === text) return;
    (element.querySelector("title") || element).textContent = text; // a point of a curve says it there
  };

  // what differs from the scenario stays marked, with the number that it has there; of what it doesn't have there is none
  const mark = (shown, text, looks) => {
    if (shown.ownerSVGElement && shown.localName !== "text") return;
    const was = changes.size ? wasOf(Number(shown.dataset.n), looks) : text, cell = shown.parentElement;
    for (const one of cell.localName === "td" ? [shown, cell] : [shown]) {
      if (!one.ownerSVGElement) one.classList.toggle("changed", was !== text);
      if (was === text) delete one.dataset.was;
      else one.dataset.was = was;
    }
    if (shown.matches(".ribbon ~ text")) tellBelow(shown);
  };
  // below a weight of ribbons what it was, as in a cell
  const LINE = 12;
  const tellBelow = (shown) => {
    const { was = "" } = shown.dataset, below = shown.nextElementSibling;
    if (below?.matches(".was")) below.remove();
    if (!was) return;
    const told = document.createElementNS(shown.namespaceURI, "text");
    const attributes = { class: "middle was", "aria-hidden": "true", x: shown.getAttribute("x"), y: Number(shown.getAttribute("y")) + LINE };
    Object.entries(attributes).forEach(([name, value]) => told.setAttribute(name, value));
    told.textContent = was;
    shown.after(told);
  };
  const wasOf = (n, looks) => {
    own.byName ??= new Map(own.entries.flatMap((entry, k) => (entry && typeof own.numbers[k] === "number" ? [[entry[0], k]] : [])));
    const there = version === own ? n : own.byName.get(version.entries[n][0]);
    if (there === undefined) return isCell(n) ? "" : written(numberAt(n), looks).join("");
    own.were ??= [];
    return written((own.were[there] ??= numberAt(there, asTold(own), own)), looks).join("");
  };

  const renewNumber = (shown) => {
    const looks = [..."held" in shown.dataset ? ["held"] : [], ..."after" in shown.dataset ? ["after"] : []];
    const [sign, text] = written(numberAt(Number(shown.dataset.n)), looks);
    put(shown, text);
    mark(shown, sign + text, looks);
    if (sign) shown.previousElementSibling.textContent = sign;
  };

  const OLD_SIZE = 0.75; // of what a cell had, beside what it has
  const renew = () => {
    const other = meant();
    const isOther = other !== version;
    if (isOther) {
      document.dispatchEvent(new Event("attn:renewing"));
      version = other;
      const before = [...main.querySelectorAll(":scope > section")];
      page.keepOpen(() => {
        before.at(-1).insertAdjacentHTML("afterend", version.main);
        for (const section of before) section.remove();
      });
      document.querySelector("nav.contents").innerHTML = version.contents;
      document.querySelectorAll("nav.contents :is(button, .keys)").forEach((one) => one.remove());
    }
    for (const shown of main.querySelectorAll("[data-n]")) {
      if (!shown.matches(":is(aside, .answer, table.words, .told) *")) renewNumber(shown);
    }
    for (const sign of main.querySelectorAll("b[data-from]:not(.told *)")) sign.textContent = relation(sign.dataset.from.split(" ").map(Number));
    for (const line of main.querySelectorAll("table.working tr:not(.told *)")) renewLine(line);
    for (const section of main.querySelectorAll(":scope > :is(section, #sight)")) section.classList.toggle("before", isTouched(section));
    main.querySelector(".in-short")?.classList.toggle("pale", [...changes.keys()].some((key) => key.startsWith("rounding.")));
    renewAnswer();
    for (const aside of main.querySelectorAll("aside:has([data-told])")) aside.classList.toggle("retold", retell(aside));
    renewShades();
    for (const product of main.querySelectorAll(".product")) {
      const texts = product.querySelectorAll(":is(.above th:not(:first-child), :is(.above, .added, .result) td)");
      product.style.setProperty("--w", `${Math.max(...[...texts].map((cell) => Math.max(cell.textContent.length, OLD_SIZE * (cell.dataset.was || "").length)))}ch`); // columns stay in line
    }
    renewVariants();
    renewPasses();
    main.querySelectorAll("figure.picture:not(.told, .told *)").forEach(renewPicture);
    if (isOther) document.dispatchEvent(new Event("attn:renewed"));
    document.dispatchEvent(new Event("attn:worked"));
  };

  // its number follows; its words do where they say which, or name what has the number
  const renewAnswer = () => {
    const answer = main.querySelector(".answer");
    if (!answer) return;
    answer.querySelectorAll("[data-n]").forEach(renewNumber);
    const tells = answer.querySelector(`[data-told*='"names":'], [data-told*='"cases":']`);
    answer.classList.toggle("retold", tells ? retell(answer) : Boolean(answer.querySelector("code")));
  };

  // sets what shows numbers in a picture; hides one that would be laid out anew
  const renewPicture = (figure) => {
    const full = (n) => (isCell(n) ? worked.cells[version.numbers[n]] : numberAt(n).value);
    for (const told of figure.querySelectorAll("desc [data-cell]")) told.textContent = Evaluator.text(numberAt(told.dataset.cell));
    const laidOut = (figure.dataset.cell?.split(" ") || []).filter((n) => !numberAt(n).value.lt(figure.dataset.scale ?? NaN));
    const fits = page.setPicture(figure, (n) => ({ value: Number(numberAt(n).value), full: Number(full(n)) }));
    figure.hidden = !fits || laidOut.some(isOtherNow);
  };

  const LONGEST_PRODUCT = 10; // decimals past which what a line comes to on its way is left out

  const renewLine = (line) => {
    const parts = [...line.cells].slice(1, -1).flatMap((cell) => [...cell.children]), result = line.lastElementChild;
    const of = (line.querySelector("b[data-from]")?.dataset.from || "").split(" ").filter(Boolean).map(Number);
    const isSo = of.every(holds);
    let before = null;
    for (const part of parts) {
      const text = part.textContent.replace(/^\S+\s/, "");
      const long = [...part.querySelectorAll("[data-n]")].some(({ dataset: { n } }) => !isCell(n) && numberAt(n).places > LONGEST_PRODUCT);
      part.hidden = !isSo || long || text === before || text === result.textContent.replace(/^\S+\s/, "");
      if (!part.hidden) before = text;
    }
  };

  // the page's numbers as they were when its sentences were told and its pictures drawn
  const asTold = (of = version) => (of.told_of ??= worth(of, new Map()));
  const isOtherNow = (n) => {
    const its = version.numbers[n], told = asTold();
    return Evaluator.text(numberAt(n)) !== Evaluator.text(numberAt(n, told)) || (isCell(n) && !worked.cells[its].eq(told.cells[its]));
  };

  // whether something that a section shows isn't what it was when its sentences were told
  const isTouched = (section) => {
    const told = asTold();
    const places = [...section.querySelectorAll("[data-n]")].map(({ dataset: { n } }) => Number(n)).filter(isCell);
    if (!places.length) return changes.size > 0;
    return places.some((n) => worked.text(version.numbers[n]) !== told.text(version.numbers[n]));
  };

  // -- sentences: which of a row is the largest, how large, and what becomes of it --------------------

  const MOST_TIED = 3;

  // the places that are picked of some numbers, in their order; of none where that can't be told
  const picked = ({ of, ties, rank }) => {
    if (of.length === 1) return { tops: [0], verb: 1 };
    const shown = (n) => numberAt(n).value, full = (n) => (isCell(n) ? worked.cells[version.numbers[n]] : shown(n));
    const sizes = of.map(shown);
    let left = [...sizes.keys()], tops = [];
    for (let k = 0; k < rank && left.length; k += 1) {
      const most = left.reduce((best, j) => (sizes[j].gt(sizes[best]) ? j : best));
      tops = left.filter((j) => sizes[j].eq(sizes[most]));
      left = left.filter((j) => !tops.includes(j));
    }
    const alone = tops.length === 1 && left.every((j) => full(of[j]).isZero());
    const most = ties ? of.length : 1;
    const tellable = tops.length && tops.length <= most && !(rank > 1 && sizes[tops[0]].isZero());
    return { tops: tellable ? tops : [], verb: alone ? 1 : tops.length > 1 && tops.length === of.length ? 2 : 0 };
  };

  const tied = (names, again) => {
    const few = names.slice(0, MOST_TIED).map((name, k) => (k ? again : "") + name), more = names.length - few.length;
    const parts = more ? [...few, `${more} other${more > 1 ? "s" : ""}`] : few;
    return [parts.slice(0, -1).join(", "), parts.at(-1)].filter(Boolean).join(" and ");
  };

  // how a number that was picked is said
  const LOOKS = {
    size: ({ value, places }) => ({ value: value.abs(), places }),
    percent: ({ value, places }) => ({ value: value.times(100), places: Math.max(0, places - 2) }),
    "whole percent": (share) => {
      const whole = LOOKS.percent(share).value.toDecimalPlaces(0);
      return whole.isZero() ? LOOKS.percent(share) : { value: whole, places: 0 };
    },
    short: ({ value }) => ({ value, places: value.dp() }),
    "": (number) => number,
  };

  // whether a sentence could be told of the numbers as they are
  const retell = (aside) => {
    const parts = [...aside.querySelectorAll("[data-told]")].map((span) => ({ span, ...JSON.parse(span.dataset.told) }));
    for (const part of parts) if (part.of || part.pick) part.found = picked(part.pick || part);
    const isPick = ({ names }) => names, ends = ({ found, of, pick }) => !(of || pick) || found.tops.length;
    if (!parts.every((part) => (part.value || part.verbs || part.follows || part.names || part.cases) && ends(part))) return false;
    parts.forEach((part, k) => {
      const own = part.value ? (part.pick ? part : parts.slice(0, k).findLast(isPick)) : part.verbs ? parts.slice(k).find(isPick) : part;
      if (part.names) part.span.innerHTML = part.found.verb === 2 && parts.some(({ verbs }) => verbs) ? "" : tied(part.found.tops.map((j) => part.names[j]), part.again);
      else if (part.cases) {
        const met = part.cases.find(([tree]) => tree === null || Evaluator.isMet(tree, (n) => numberAt(n).value));
        part.span.innerHTML = met ? met[1] : "";
      } else if (part.verbs) part.span.textContent = part.verbs[own.found.verb];
      else if (part.value) {
        const { of } = part.pick || own, j = own.found.tops[0];
        const text = Evaluator.text(LOOKS[part.looks](numberAt(of[j]))) + part.unit + (part.each && own.found.tops.length > 1 ? " each" : "");
        const shown = part.span.querySelector("[data-n]");
        if (shown && part.span.textContent === shown.textContent && !/[^\d.]/.test(text)) shown.dataset.n = of[j]; // which can be asked
        else put(part.span, text);
      }
    });
    aside.hidden = !aside.textContent.trim();
    aside.querySelectorAll("[data-n]").forEach(renewNumber);
    return true;
  };

  // -- what is told of variants and of generated tokens, which are worked beside the page -------------

  const attempted = (of) => {
    try { return worth(of, changes); } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  };
  const setCell = (cell, text) => {
    cell.dataset.told ??= cell.textContent;
    if (cell.textContent !== text) cell.textContent = text;
    cell.classList.toggle("changed", text !== cell.dataset.told);
    if (text === cell.dataset.told) delete cell.dataset.was;
    else cell.dataset.was = cell.dataset.told;
  };
  const follows = (table, does) => { // else it is said of the numbers as they were
    let one = table;
    while (!one.parentElement.matches(".told")) one = one.parentElement;
    one.classList.toggle("retold", does && one.querySelectorAll(".variant:not([data-follows]), .passes:not([data-follows])").length === 0);
  };

  const renewVariants = () => {
    if (version !== own) return;
    const tables = main.querySelectorAll(".told table.variant"), by = new Map();
    data.varied.forEach(([name, quantity], k) => {
      const other = versions.find(({ choices }) => choices.at(-1) === `variant=${name}`), table = tables[k];
      if (!other) return;
      if (!by.has(other)) by.set(other, attempted(other));
      const its = by.get(other)?.quantities.find((one) => one.name === quantity);
      const cells = [...table.tBodies[0].rows].map((row) => [...row.cells].slice(-its?.columns));
      const does = Boolean(its) && cells.length === its.rows && cells.every((row) => row.length === its.columns);
      if (does) cells.flat().forEach((cell, n) => setCell(cell, by.get(other).text(its.start + n)));
      table.toggleAttribute("data-follows", does);
    });
    tables.forEach((table) => follows(table, table.hasAttribute("data-follows")));
  };

  // a pass follows while the tokens before it are the same ones: else its text is another
  const renewPasses = () => {
    const table = main.querySelector(".told table.passes");
    if (version !== own || !table || !data.passes.length) return;
    let by = worked, other = "";
    data.passes.forEach(({ quantities, given, from: [name, row], words, word }, k) => {
      if (k && !other) by = attempted({ quantities, given });
      const [token, share] = [...table.tBodies[0].rows[k].cells].slice(-2), its = by?.quantities.find((one) => one.name === name);
      if (other || !its) {
        for (const cell of [token, share]) setCell(cell, "–");
        return;
      }
      const first = its.start + row * its.columns, sizes = words.map((_, j) => by.cells[first + j]);
      const most = sizes.reduce((best, size, j) => (size.gt(sizes[best]) ? j : best), 0);
      setCell(token, words[most]);
      setCell(share, by.text(first + most));
      if (words[most] !== word) other = words[most];
    });
    table.dataset.follows = "";
    follows(table, true);
    const sets = [...changes].map(([key, value]) => ` --set '${key}=${value}'`).join("");
    const note = table.closest(".told").querySelector(".otherwise") || table.parentElement.insertAdjacentElement("afterend", Object.assign(document.createElement("p"), { className: "otherwise retold" }));
    note.hidden = !other;
    const command = Object.assign(document.createElement("code"), { className: "command", textContent: `attn run ${data.called}${sets}` });
    note.replaceChildren(`With these numbers the next token there is “${other}”, and what follows is another text: `, command);
  };

  // tables whose numbers are shares of 1: the darker the larger, the largest of a row in bold
  const renewShades = () => {
    for (const row of main.querySelectorAll("table.quantity tr:not(.told *):has(td[class*=shade])")) {
      const cells = [...row.querySelectorAll("td[class*=shade]")], numbers = cells.map((cell) => Number(cell.textContent.replace("−", "-")));
      cells.forEach((cell, k) => {
        cell.className = cell.className.replace(/shade\d/, `shade${page.shadeOf(numbers[k], data.shades)}`).replace(/ ?most/, "");
        if (numbers[k] === Math.max(...numbers)) cell.classList.add("most");
        if (cell.style.length) cell.style.setProperty("--s", numbers[k]); // the length of its bar
      });
    }
  };

  worked = worth(own, changes);
  bar.hidden = false;
  document.addEventListener("attn:change", ({ detail: { key, value, more } }) => change(key, value, more));
  document.dispatchEvent(new Event("attn:renewed")); // now that there is a bar
  addEventListener("hashchange", told);
  told();
  requestIdleCallback(() => { worked = worth(meant(), changes); renew(); }); // so that the first change is as quick as the next ones
  // what is worked now, for whoever asks: each quantity's numbers as they are shown
  const numbers = () => worked.quantities.map(({ name, start, count }) => [name, Array.from({ length: count }, (_, k) => worked.text(start + k))]);
  // for readers who are asked first: the range that is right of a number as it was, what known mistakes make of it
  page.accepted = (n) => (changes.size ? null : data.accepted[n] || null);
  page.mistakes = (n) => {
    const ways = isCell(n) ? version.mistakes[worked.owner[version.numbers[n]].name] || [] : [];
    return ways.map(([says, its]) => [says, worked.otherwise(version.numbers[n], its)]).filter(([, value]) => value.isFinite()).map(([says, value]) => [says, value.toFixed(20)]);
  };
  page.live = { changeTo, asScenario, numbers };
})();
