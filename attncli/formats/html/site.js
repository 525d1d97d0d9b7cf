// What a course has besides its pages: what was read and solved, kept by the browser; a search; the
// working of any number by its name. Without it all links are there.
"use strict";
(() => {
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const element = (name, properties, ...inside) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...inside);
    return made;
  };
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

  // -- what the browser keeps of each lesson: whether it was read, and what is on its sheet --------

  const key = "attncli course";
  const kept = () => { // null where nothing can be kept
    try {
      return Object(JSON.parse(localStorage.getItem(key)));
    } catch (wrong) {
      return wrong instanceof SyntaxError ? {} : null;
    }
  };
  const { lesson } = document.body.dataset;

  // the numbers of a lesson, which are a script of their own
  const files = new Map();
  const numbersIn = (file) => {
    const load = (loaded) => document.head.append(element("script", { src: file, async: false, onload: () => loaded(unpacked(window.attncli.lessons[file])) }));
    if (!files.has(file)) files.set(file, new Promise(load));
    return files.get(file);
  };
  const keep = (change) => localStorage.setItem(key, JSON.stringify({ ...kept(), [lesson]: { ...kept()[lesson], ...change } }));
  const [read, inputs, cards] = [one("#read"), all(".field input"), all("[data-of]")];

  if (read && kept()) {
    new IntersectionObserver(([end]) => {
      if (!end.isIntersecting) return;
      keep({ read: true });
      read.hidden = false;
    }).observe(read.parentElement);
  }

  if (inputs.length && kept()) {
    const typed = kept()[lesson]?.typed || [];
    const value = (input) => (input.type === "radio" ? "checked" : "value");
    document.addEventListener("attn:checking", () => {
      for (const [k, input] of typed.length === inputs.length ? inputs.entries() : []) {
        if (!typed[k]) continue;
        input[value(input)] = typed[k];
        input.dispatchEvent(new Event("change", { bubbles: true }));
      }
    });
    const count = (state) => all(`.field${state}`).length;
    const save = () => keep({ typed: inputs.map((input) => input[value(input)]), right: count("[data-state=right]"), fields: count("") });
    for (const [place, event] of [[document, "change"], [one("#check"), "click"]]) place.addEventListener(event, save);
  }

  const showProgress = () => {
    const known = kept();
    if (!known) return;
    const of = (card) => known[card.dataset.of] || {};
    const isSolved = ({ right, fields }) => right > 0 && right === fields;
    for (const card of cards) {
      const { right, fields } = of(card);
      const sheet = isSolved(of(card)) ? "✓ sheet solved" : right && `sheet: ${right} of ${fields} right`;
      const said = [of(card).read && "✓ read", sheet].filter(Boolean).join(" · ");
      one(".done", card)?.remove();
      if (said) card.append(element("p", { className: "done", textContent: said }));
    }
    const [done, solved] = [({ read: is }) => is, isSolved].map((is) => cards.filter((card) => is(of(card))).length);
    const sheets = all('[data-of] a[href$="-sheet.html"]').length;
    const { href, textContent } = one("a", cards.find((card) => !of(card).read) || cards[0]);
    const begun = Object.keys(known).length > 0;
    const told = begun ? `${done} of ${cards.length} lessons read, ${solved} of ${sheets} sheets solved. Continue with ` : "Begin with ";
    one("#progress p").replaceChildren(told, element("a", { href, textContent }));
    one("#progress button").hidden = !begun;
    one("#progress").hidden = false;
  };
  if (cards.length) {
    addEventListener("pageshow", showProgress);
    one("#progress button").addEventListener("click", () => {
      localStorage.removeItem(key);
      showProgress();
      one("#progress a").focus();
    });
  }

  // -- places to find ------------------------------------------------------------------------------

  const search = one("#search");
  if (search) {
    const { steps, lessons } = JSON.parse(one("#index").textContent);
    const index = lessons.flatMap(([page, title, says, more, sections]) => [
      [page, title, "", plain(`${title} ${says} ${more}`)],
      ...sections.map(([heading, step, ...texts], k) => [`${page}#s${k + 1}`, heading, title, plain(`${heading} ${texts.join(" ")} ${steps[step] || ""}`)]),
    ]);
    const [field, list, status] = [one("input", search), one("ol", search), one("[role=status]", search)];
    const most = 20;
    const withWords = (typed) => {
      const words = plain(typed).split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
      const hasAll = (text) => words.every((word) => text.includes(word));
      const found = words.length ? index.filter(([, , , text]) => hasAll(text)) : [];
      return found.sort((a, b) => hasAll(plain(b[1])) - hasAll(plain(a[1])));
    };
    // the cells that have a number, or one that begins with it; first those that are worked out
    const withNumber = (lesson, number) => (entries) => entries.flatMap(([name, ...parts], n) => {
      const [text] = parts.findLast(Array.isArray) || [""];
      const isIt = text === number;
      if (!name || !(isIt || (number.includes(".") && text.startsWith(number)))) return [];
      const line = parts.map((part) => (Array.isArray(part) ? part[0] : part)).join("").trim();
      return [[`${lesson[0]}#n${n}`, `${name} ${line}`, lesson[1], (isIt ? 2 : 0) + (parts.length > 2 ? 1 : 0)]];
    });
    const tell = (found, none) => {
      const links = found.slice(0, most).map(([href, textContent, title]) => [element("a", { href, textContent }), element("small", { textContent: title })]);
      list.replaceChildren(...links.map((link) => element("li", {}, ...link)));
      const told = `${found.length === 1 ? "1 place" : `${found.length} places`}${found.length > most ? `, the first ${most} of them` : ""}`;
      status.textContent = found.length ? told : none;
    };
    field.addEventListener("input", async () => {
      const typed = field.value.trim();
      if (!/^[-−+]?\d+([.,]\d*)?$/.test(typed)) return tell(withWords(typed), typed && "No lesson has these words.");
      const number = typed.replace(/[-−]/, "−").replace("+", "").replace(",", ".");
      tell([], "Looking at the numbers of all lessons …");
      const found = await Promise.all(lessons.map((lesson) => numbersIn(lesson.at(-1)).then(withNumber(lesson, number))));
      if (field.value.trim() === typed) tell(found.flat().sort((a, b) => b[3] - a[3]), "No lesson has this number.");
    });
    search.addEventListener("submit", (event) => {
      event.preventDefault();
      one("a", list)?.click();
    });
    search.hidden = false;
  }

  // -- a cell that somebody was led to ---------------------------------------------------------------

  const lead = () => {
    const [, n] = /^#n(\d+)$/.exec(location.hash) || [];
    const shown = n && all(`main [data-n="${n}"]`).find((one) => one.checkVisibility());
    if (!shown) return;
    shown.scrollIntoView({ block: "center" });
    shown.click();
  };
  addEventListener("hashchange", lead);
  addEventListener("load", () => setTimeout(lead)); // when all of it is bound

  // -- the working of a number by its name, of which page.js tells what entries are ----------------

  const doubt = one("#doubt");
  if (!doubt) return;
  const [chosen, cell, status, tree] = ["select", "input", "[role=status]", ".tree"].map((name) => one(name, doubt));
  let entries = [];
  const named = () => entries.map(([name]) => name).filter(Boolean);
  const branch = (n) => {
    const [name, ...parts] = entries[n];
    const text = `${name}${parts.map((part) => (Array.isArray(part) ? part[0] : part)).join("")}`.trim();
    const below = new Set(parts.filter(Array.isArray).map(([, place]) => place));
    below.delete(n);
    if (!below.size) return element("li", {}, text);
    const fold = element("details", {}, element("summary", {}, text));
    fold.addEventListener("toggle", () => fold.append(element("ul", {}, ...[...below].map(branch))), { once: true });
    return element("li", {}, fold);
  };
  const missing = (typed) => {
    const quantity = (name) => plain(name).split("[")[0].trim();
    const near = named().filter((name) => quantity(name) === quantity(typed));
    const has = near.length ? near.slice(0, 6) : new Set(named().map((name) => name.split("[")[0]));
    const title = `“${chosen.selectedOptions[0].text}”`;
    return entries.length ? `${title} shows no number ${typed}. It has ${[...has].join(", ")}.` : `${title} works no numbers out.`;
  };
  const show = () => {
    const typed = cell.value.trim();
    const bare = (name) => name.replace(/\s/g, "");
    const n = [bare, (name) => plain(bare(name))].map((as) => entries.findIndex(([name]) => name && as(name) === as(typed))).find((k) => k >= 0);
    tree.replaceChildren(...(n === undefined ? [] : [branch(n)]));
    status.textContent = n === undefined ? missing(typed) : "";
    for (const first of all(".tree > li > details", doubt)) first.open = true;
    history.replaceState(null, "", `#${new URLSearchParams({ [chosen.value]: "", cell: typed })}`);
  };
  const choose = async () => {
    const file = chosen.value, its = await numbersIn(file);
    if (file !== chosen.value) return;
    entries = its;
    one("datalist", doubt).replaceChildren(...named().map((value) => element("option", { value })));
    cell.value ||= named().find((name) => name.includes("[")) || "";
    show();
  };
  const follow = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    chosen.value = [...chosen.options].map(({ value }) => value).find((file) => asked.has(file)) || chosen.value;
    cell.value = asked.get("cell") || "";
    choose();
  };
  chosen.addEventListener("change", () => {
    cell.value = "";
    choose();
  });
  addEventListener("hashchange", follow);
  doubt.addEventListener("submit", (event) => {
    event.preventDefault();
    show();
  });
  doubt.hidden = false;
  follow();
})();
