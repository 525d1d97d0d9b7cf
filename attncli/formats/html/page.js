// What the scripts of a page share: its numbers, where each is shown and what it comes from; the contents, the
// keys that lead through both, texts to copy. Without scripts the page is whole, and silent.
"use strict";
(() => {
  /** @type {Attncli.Entry[]} */
  let entries;
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  const at = (/** @type {Event} */ event) => /** @type {Element} */ (event.target);

  /** @type {Attncli.Make} */
  const element = (name, properties, ...inside) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...inside);
    return made;
  };

  // the whole cell of a number that stands there alone, else what shows it
  /** @type {Attncli.Page["cellOf"]} */
  const cellOf = (shown) => {
    const cell = shown.closest("td");
    return cell && !cell.closest("table.working") && cell.querySelectorAll("[data-n]").length === 1 ? cell : shown;
  };

  /** @type {Attncli.Page["numberAt"]} */
  const numberAt = (event) => {
    const target = at(event).closest?.("main :is([data-n], svg [data-cell], td)");
    const shape = target?.getAttribute("data-cell"); // a shape is its number's, an arrow that of its first
    if (shape) return page.places.get(parseInt(shape))?.[0];
    return target && (target.matches("[data-n]") ? target : [...target.querySelectorAll("[data-n]")].find((shown) => cellOf(shown) === target));
  };

  /** @type {Attncli.Page} */
  const page = /** @type {any} */ ({
    main, element, cellOf, numberAt, instant: "instant",
    entry: (/** @type {number} */ n) => entries[n] || [""], // whoever works the page again says it otherwise
    numbers: [], sections: [], places: new Map(),
    written: [...main.querySelectorAll(":scope > section")].map((section) => section.outerHTML),
    operandsOf: (/** @type {number} */ n) => {
      const found = page.entry(n).slice(1).filter(Array.isArray).map((part) => /** @type {number} */ (part[1]));
      return [...new Set(found)].filter((place) => place !== n);
    },
    textOf: (/** @type {number} */ n) => page.entry(n).slice(1).map((part) => (Array.isArray(part) ? part[0] : part)).join("").trim(),
    nameOf: (/** @type {number} */ n) => page.entry(n)[0] || page.textOf(n),
  });
  window.attncli = page;

  // -- from number to number ---------------------------------------------------------------------

  // one number of each section can be reached by Tab, the others from it by the arrow keys; so of each table beside the page
  page.makeCurrent = (shown) => {
    for (const other of shown.closest(".matrices table, section")?.querySelectorAll('[data-n][tabindex="0"]') || []) set(other, { tabIndex: -1 });
    set(shown, { tabIndex: 0 });
  };
  const set = (/** @type {Element} */ one, /** @type {object} */ properties) => Object.assign(one, properties);

  // those that are seen: none in a fold that is closed, or that is still to come
  const isSeen = (/** @type {Element} */ one) => one.checkVisibility({ visibilityProperty: true });

  /** @type {(shown: Element, key: string) => Element | undefined} */
  const beside = (shown, key) => {
    const { numbers } = page, place = numbers.indexOf(shown);
    if (key === "ArrowRight") return numbers.slice(place + 1).find(isSeen);
    if (key === "ArrowLeft") return numbers.slice(0, place).findLast(isSeen);
    const row = shown.closest("tr"), isOther = (/** @type {Element} */ one) => isSeen(one) && !(row ?? shown).contains(one);
    const next = key === "ArrowDown" ? numbers.slice(place + 1).find(isOther) : numbers.slice(0, place).findLast(isOther);
    const [own, there] = [row, next?.closest("tr")].map((one) => [...one?.querySelectorAll("[data-n]") || []].filter(isSeen));
    return there[Math.min(own.indexOf(shown), there.length - 1)] ?? next; // in the same column, also of another table
  };

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || at(event).closest("input, select, textarea")) return;
    const shown = at(event).closest("main [data-n]");
    if (shown && event.key.startsWith("Arrow")) {
      const next = beside(shown, event.key);
      event.preventDefault();
      if (!(next instanceof HTMLElement || next instanceof SVGElement)) return;
      page.makeCurrent(next);
      next.focus();
      next.scrollIntoView({ block: "nearest" });
    }
    if (event.key === "n") goTo(now + 1);
    if (event.key === "p") goTo(now - 1);
  });

  // -- contents: a list, and the chart of the steps as a map ---------------------------------------

  let now = 0;
  /** @type {HTMLDetailsElement} */
  let contents; // one line where there is no room beside the page
  /** @type {HTMLAnchorElement[]} */
  let links;
  /** @type {Element | null} */
  let chart = null;
  const roomy = matchMedia("(min-width: 60.01rem)");
  let isBench = false; // a workbench, whose map leads to all
  const fold = () => { contents.open = roomy.matches && !(chart && document.body.classList.contains("bench")); };
  roomy.addEventListener("change", fold);

  const current = (/** @type {Element} */ one, /** @type {boolean} */ is) => (is ? one.setAttribute("aria-current", "true") : one.removeAttribute("aria-current"));

  const mark = (/** @type {number} */ k) => {
    now = page.now = k;
    page.sections.forEach((section, i) => section.classList.toggle("now", i === k));
    links.forEach((link, i) => current(link, i === k));
    chart?.querySelectorAll("a").forEach((box) => current(box, box.getAttribute("href") === `#s${k}`));
    const box = chart?.querySelector("a[aria-current]")?.getBoundingClientRect(), nav = chart?.parentElement;
    if (box && nav) nav.scrollTop += box.top - nav.getBoundingClientRect().top - nav.clientHeight / 2;
    set(/** @type {Element} */ (contents.querySelector("summary b")), { textContent: ` · ${links[k].textContent}` });
  };
  page.mark = mark;

  const goTo = (/** @type {number} */ k) => {
    if (k < 0 || k >= page.sections.length) return;
    mark(k);
    const heading = /** @type {HTMLElement} */ (page.sections[k].querySelector("h1, h2"));
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    page.sections[k].scrollIntoView({ block: "start" });
  };

  // the first that begins in the upper part of the window, else the one that fills it
  /** @type {Set<Element>} */
  const inSight = new Set();
  const watch = new IntersectionObserver((seen) => {
    seen.forEach((one) => (one.isIntersecting ? inSight.add(one.target) : inSight.delete(one.target)));
    const those = page.sections.filter((section) => inSight.has(section));
    const top = those.find((section) => section.getBoundingClientRect().top > 0) ?? those[0];
    if (top && !document.body.classList.contains("stepping")) mark(page.sections.indexOf(top));
  }, { rootMargin: "-64px 0px -70% 0px" });

  document.addEventListener("click", (event) => {
    const link = at(event).closest?.("nav.contents a"), k = Number(link?.getAttribute("href")?.slice(2));
    if (!link) return;
    mark(k);
    fold();
    const isTaken = !document.dispatchEvent(new CustomEvent("attn:goto", { detail: k, cancelable: true }));
    if (isTaken) event.preventDefault();
  });

  const bindContents = () => {
    watch.disconnect();
    inSight.clear();
    page.sections.forEach((section) => watch.observe(section));
    bindChart();
    const found = /** @type {HTMLDetailsElement} */ (document.querySelector("nav.contents details"));
    const isOther = contents !== found, isFirst = !contents;
    if (isOther && !isFirst) found.open = contents.open;
    contents = found;
    if (isFirst || isBench !== document.body.classList.contains("bench")) fold();
    isBench = document.body.classList.contains("bench");
    if (!isOther) return;
    links = [...contents.querySelectorAll("a")].filter((link) => !link.closest("svg"));
    const keys = `Keys: n and p for the next and the previous step${page.numbers.length ? "; ← and → for one number after the other, a to be asked first, Escape to leave; arrows from number to number, Enter to ask" : ""}.`;
    contents.append(element("p", { className: "keys", textContent: keys }));
  };

  // the chart of the steps stays in sight beside the page, its boxes links; on paper it stands where it was
  const bindChart = () => {
    const found = [main, document].map((one) => one.querySelector(":is(main > section, nav.contents) figure:has(svg [data-step])")).find(Boolean);
    if (chart !== found) chart?.remove();
    chart = found ?? null;
    if (!chart) return;
    const steps = [...document.querySelectorAll("nav.contents ol a")].map((link) => /^(\d+)(?:–(\d+))?/.exec(link.textContent || "") || []);
    for (const box of chart.querySelectorAll("[data-step]")) {
      const step = Number(box.getAttribute("data-step"));
      const k = steps.findIndex(([, first, last]) => Number(first) <= step && step <= Number(last ?? first));
      if (k < 0 || box.parentElement?.localName === "a") continue;
      const link = document.createElementNS("http://www.w3.org/2000/svg", "a");
      link.setAttribute("href", `#s${k}`);
      box.replaceWith(link);
      link.append(box);
    }
    const drawing = chart.querySelector("svg");
    drawing?.setAttribute("role", "group");
    drawing?.style.setProperty("max-height", `max(32vh, ${0.65 * Number(drawing.getAttribute("height"))}px)`); // its letters stay readable
    asMap();
  };
  const asMap = () => {
    if (!chart) return;
    if (main.contains(chart) && chart.closest("section")) chart.before(element("figure", { className: "place", hidden: true }));
    document.querySelector("nav.contents")?.append(chart);
  };
  const asFigure = () => { if (chart) page.sections[0].querySelector("figure.place")?.replaceWith(chart); };
  addEventListener("beforeprint", asFigure);
  addEventListener("afterprint", asMap);

  // -- what is bound to what stands on the page, which others may have put there ---------------------

  const bind = () => {
    entries = JSON.parse(document.getElementById("numbers")?.textContent || "[]");
    page.sections = [...main.querySelectorAll(":scope > section")];
    page.numbers = [...main.querySelectorAll("[data-n]")];
    page.places = Map.groupBy(page.numbers, (shown) => Number(shown.getAttribute("data-n")));
    bindNumbers();
    bindTexts();
    bindContents();
    mark(Math.min(now, page.sections.length - 1));
  };

  const MUCH = 0.3; // of a frame, which a name may take without going over a second line
  const bound = new WeakSet();
  const bindNumbers = () => {
    for (const shown of page.numbers) {
      if (shown.hasAttribute("role")) continue; // bound before
      set(shown, { tabIndex: -1 });
      shown.setAttribute("role", "button");
    }
    for (const drawing of main.querySelectorAll("svg:has([data-n])")) drawing.setAttribute("role", "group");
    for (const frame of main.querySelectorAll(".scroll, .beside, .product")) {
      if (bound.has(frame)) continue;
      bound.add(frame);
      if (frame.scrollWidth <= frame.clientWidth) continue;
      set(frame, { tabIndex: 0 });
      // the first column stays where it is, and may take too much room; an index stays in one piece
      for (const name of frame.querySelectorAll("tr > :first-child code")) if (name.getBoundingClientRect().width > MUCH * frame.clientWidth) name.innerHTML = name.innerHTML.replace(/(?<=[\w\]])\[|(?<=[\w\]])\.(?=\w)/g, "<wbr>$&");
    }
    for (const section of page.sections) {
      if (section.querySelector('[data-n][tabindex="0"]')) continue;
      const first = [...section.querySelectorAll("[data-n]")].find(isSeen);
      if (first) set(first, { tabIndex: 0 });
    }
  };

  // commands and texts to copy; they are selected, at least, where the clipboard isn't allowed
  const bindTexts = () => {
    for (const text of main.querySelectorAll("aside .command, .copied pre")) {
      if (text.nextElementSibling?.localName === "button") continue;
      const button = element("button", { type: "button", textContent: "Copy", ariaLive: "polite" });
      button.addEventListener("click", async () => {
        getSelection()?.selectAllChildren(text);
        const written = Promise.resolve().then(() => navigator.clipboard.writeText(text.textContent || ""));
        button.textContent = (await written.then(() => true, () => document.execCommand("copy"))) ? "Copied" : "Selected";
      });
      text.after(" ", button);
    }
  };

  document.addEventListener("attn:renewed", bind);
  bind();
})();
