// What a course has besides its pages: what was read and solved, as long as the browser keeps it; a
// search; any number's working by its name. Without it all links are there.
"use strict";
(() => {
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const element = (name, properties, ...inside) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...inside);
    return made;
  };

  // -- what the browser keeps: of each lesson whether it was read, and what was typed on its sheet --

  const key = "attncli course";
  const kept = () => { // null where nothing can be kept
    try {
      const found = JSON.parse(localStorage.getItem(key) || "{}");
      return found && typeof found === "object" ? found : {};
    } catch (wrong) {
      return wrong instanceof SyntaxError ? {} : null;
    }
  };
  const { lesson } = document.body.dataset;
  const keep = (change) => {
    try {
      localStorage.setItem(key, JSON.stringify({ ...kept(), [lesson]: { ...kept()[lesson], ...change } }));
    } catch { /* a browser may keep nothing */ }
  };

  const ending = one("#read");
  if (ending && kept()) {
    new IntersectionObserver(([end]) => {
      if (!end.isIntersecting) return;
      keep({ read: true });
      ending.hidden = false;
    }).observe(ending.parentElement);
  }

  const inputs = all(".field input");
  if (inputs.length && kept()) {
    const typed = kept()[lesson]?.typed || [];
    const value = (input) => (input.type === "radio" ? "checked" : "value");
    if (typed.length === inputs.length) {
      inputs.forEach((input, k) => {
        if (!typed[k]) return;
        input[value(input)] = typed[k];
        input.dispatchEvent(new Event("change", { bubbles: true }));
      });
    }
    const save = () => keep({
      typed: inputs.map((input) => input[value(input)]),
      right: all(".field[data-state=right]").length,
      fields: all(".field").length,
    });
    document.addEventListener("change", save);
    one("#check").addEventListener("click", save);
  }

  const cards = all("[data-of]");
  const showProgress = () => {
    const known = kept();
    if (!known) return;
    const isSolved = ({ right, fields }) => right > 0 && right === fields;
    const count = (what) => cards.filter((card) => what(known[card.dataset.of] || {})).length;
    for (const card of cards) {
      const { read, right, fields } = known[card.dataset.of] || {};
      const said = [read && "✓ read", right && (right === fields ? "✓ sheet solved" : `sheet: ${right} of ${fields} right`)];
      one(".done", card)?.remove();
      card.classList.toggle("read", Boolean(read));
      if (said.some(Boolean)) card.append(element("p", { className: "done", textContent: said.filter(Boolean).join(" · ") }));
    }
    const next = one("a", cards.find((card) => !known[card.dataset.of]?.read) || cards[0]);
    const begun = Object.keys(known).length > 0;
    one("#progress p").replaceChildren(
      begun ? `${count(({ read }) => read)} of ${cards.length} lessons read, ${count(isSolved)} of ${all('[data-of] a[href$="-sheet.html"]').length} sheets solved. Go on with ` : "Begin with ",
      element("a", { href: next.getAttribute("href"), textContent: next.textContent }),
    );
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

  // -- a text to copy -------------------------------------------------------------------------------

  for (const text of all(".copied pre")) {
    const button = element("button", { type: "button", textContent: "Copy" });
    button.addEventListener("click", async () => {
      getSelection().selectAllChildren(text);
      const done = await navigator.clipboard?.writeText(text.textContent).then(() => true, () => false);
      button.textContent = done || document.execCommand("copy") ? "Copied" : "Selected: copy it with the keyboard";
    });
    text.after(button);
  }

  // -- search ---------------------------------------------------------------------------------------

  const search = one("#search");
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const places = () => { // each with what a reader sees of it, and all that it is found by
    const { steps, lessons } = JSON.parse(one("#index").textContent);
    return lessons.flatMap(([page, title, says, sections]) => [
      [page, title, "", plain(`${title} ${says}`)],
      ...sections.map(([place, heading, step, names]) => [place, heading, title, plain(`${heading} ${names} ${steps[step] || ""}`)]),
    ]);
  };
  if (search) {
    const [index, field, list, status] = [places(), one("#sought"), one("ol", search), one("[role=status]", search)];
    const most = 20;
    const find = () => {
      const words = plain(field.value).split(/\s+/).filter(Boolean);
      const found = words.length ? index.filter(([, , , text]) => words.every((word) => text.includes(word))) : [];
      const isNamed = ([, heading]) => words.every((word) => plain(heading).includes(word));
      found.sort((a, b) => isNamed(b) - isNamed(a));
      list.replaceChildren(...found.slice(0, most).map(([href, heading, title]) =>
        element("li", {}, element("a", { href, textContent: heading }), ...(title ? [element("small", { textContent: title })] : []))));
      const told = found.length === 1 ? "1 place" : `${found.length} places${found.length > most ? `, the first ${most} of them` : ""}`;
      status.textContent = !words.length ? "" : found.length ? told : "No lesson has these words.";
    };
    field.addEventListener("input", find);
    search.addEventListener("submit", (event) => {
      event.preventDefault();
      one("a", list)?.click();
    });
    search.addEventListener("keydown", (event) => { // up and down through what was found
      const stops = [field, ...all("a", list)];
      const next = stops[stops.indexOf(document.activeElement) + { ArrowDown: 1, ArrowUp: -1 }[event.key]];
      if (!next) return;
      next.focus();
      event.preventDefault();
    });
    search.hidden = false;
  }

  // -- any number's working by its name ---------------------------------------------------------------

  const doubt = one("#doubt");
  if (!doubt) return;
  const [chosen, cell, status, tree] = ["#lesson", "#cell", "[role=status]", ".working"].map((name) => one(name, doubt));
  let entries = []; // as page.js has them
  const nameless = (text) => text.replace(/\s/g, "");
  const textOf = (n) => entries[n].map((part) => (Array.isArray(part) ? part[0] : part)).join("").trim();
  const operandsOf = (n) => [...new Set(entries[n].slice(1).filter(Array.isArray).map(([, place]) => place))].filter((place) => place !== n);
  const branch = (n) => {
    const below = operandsOf(n);
    if (!below.length) return element("li", { textContent: `${textOf(n)}${entries[n].length === 3 ? " (the working begins here)" : ""}` });
    const fold = element("details", {}, element("summary", { textContent: textOf(n) }));
    fold.addEventListener("toggle", () => fold.append(element("ul", {}, ...below.map(branch))), { once: true });
    return element("li", {}, fold);
  };
  const load = (file) => new Promise((done) => {
    const numbers = one("#numbers");
    const finish = (text) => done(JSON.parse(text));
    document.head.append(element("script", { src: file, onload: () => finish(numbers.textContent), onerror: () => finish("[]") }));
  });
  const alike = (typed) => { // names of the same quantity, or all
    const quantity = plain(typed.split("[")[0]);
    const names = entries.map(([name]) => name).filter(Boolean);
    const near = quantity ? names.filter((name) => plain(name.split("[")[0]).includes(quantity)) : [];
    return near.length ? near : names;
  };
  const show = () => {
    const typed = cell.value.trim();
    const isTyped = (change) => entries.findIndex(([name]) => name && change(nameless(name)) === change(nameless(typed)));
    const place = [(name) => name, plain].map(isTyped).find((n) => n >= 0);
    tree.replaceChildren(...(place === undefined ? [] : [branch(place)]));
    status.textContent = "";
    if (place !== undefined) {
      const first = one("details", tree);
      if (first) first.open = true;
      history.replaceState(null, "", `#${chosen.selectedOptions[0].id}/${encodeURIComponent(entries[place][0])}`);
    } else if (typed) {
      const title = chosen.selectedOptions[0].textContent;
      status.textContent = entries.length ? `“${title}” shows no number ${typed}. It has ${alike(typed).slice(0, 6).join(", ")} …` : `“${title}” has no numbers that are worked.`;
    }
  };
  const choose = async () => {
    entries = await load(chosen.value);
    one("#cells").replaceChildren(...entries.filter(([name]) => name).map(([name]) => element("option", { value: name })));
    show();
  };
  const follow = () => {
    const [id, name = ""] = location.hash.slice(1).split("/");
    const option = [...chosen.options].find((other) => other.id === id);
    if (option) option.selected = true;
    cell.value = decodeURIComponent(name);
    choose();
  };
  chosen.addEventListener("change", choose);
  cell.addEventListener("change", show);
  addEventListener("hashchange", follow);
  doubt.addEventListener("submit", (event) => {
    event.preventDefault();
    show();
  });
  doubt.hidden = false;
  follow();
})();
