// Pointing at a number: what it is worked from is tinted where it stands, its working is a line in the bar at the
// bottom of the window. Numbers of the line lead to what they are worked from in turn, and back.
"use strict";
(() => {
  const page = window.attncli, { element, cellOf, numberAt } = page;
  if (!page.numbers.length) return;
  const how = element("div", { id: "how", hidden: true });
  const bar = element("section", { id: "bar", ariaLabel: "The working of a number" }, how);
  page.main.before(bar); // its buttons are the first for keys, as it is always in sight
  document.body.classList.add("barred");
  new ResizeObserver(() => document.documentElement.style.setProperty("--bar", `${bar.offsetHeight}px`)).observe(bar);
  /** @type {number[]} */
  let path = []; // from the number that was asked about to the one that is shown, by their places
  /** @type {Element | null} */
  let anchor = null; // the element that was asked about
  let pinned = false, silent = false;
  /** @type {() => boolean} */
  let rest = () => false; // shows what is shown while nothing is pointed at; returns whether there is anything

  // -- the line ------------------------------------------------------------------------------------

  const lineOf = (/** @type {number} */ n) => {
    const line = element("div", { className: "line" });
    const [name] = page.entry(n), parts = partsOf(n);
    if (name) line.append(element("bdi", { textContent: name }));
    let side = line.appendChild(element("span", { className: "side" })); // of an equals sign, before which a line may go on below
    const pieces = parts.flatMap((part) => /** @type {Attncli.Part[]} */ (Array.isArray(part) ? [part] : part.split(/(?= [=≈+−] )/)));
    let term = side.appendChild(element("span", { className: "term" })); // before which a long side goes on below
    pieces.forEach((part, k) => {
      const isSide = k && /^ ?[=≈]( |$)/.test(String(part));
      if (isSide) side = line.appendChild(element("span", { className: "side" }));
      if (isSide || /^ ?[+−] /.test(String(part))) term = side.appendChild(element("span", { className: "term" }));
      const own = Array.isArray(part) && part[1] === n;
      const made = !Array.isArray(part) ? element("span", { textContent: part })
        : own ? element("strong", { textContent: part[0] }) : linkTo(part[1], part[0]);
      made.style.setProperty("--part", `${k / pieces.length}`);
      term.append(made);
    });
    line.classList.toggle("given", Boolean(page.places.get(n)?.some((one) => one.hasAttribute("data-set"))));
    if (name && parts.length === 2 && !page.operandsOf(n).length) line.append(element("span", { className: "of", textContent: document.getElementById("changes") ? " · given; a click changes it" : " · given" }));
    return line;
  };

  // a product of rows is seen where they stand: its terms follow
  const partsOf = (/** @type {number} */ n) => {
    const [, ...parts] = page.entry(n), textAt = (/** @type {number} */ k) => (Array.isArray(parts[k]) ? parts[k][0] : parts[k]);
    if (!/^ = \[/.test(String(textAt(0)))) return parts;
    const next = parts.findIndex((part, k) => k > 0 && / = $/.test(String(textAt(k))));
    return next > 0 && next < parts.length - 2 ? [" = ", ...parts.slice(next + 1)] : parts;
  };

  const linkTo = (/** @type {number} */ n, /** @type {string} */ text) => {
    const link = element("button", { type: "button", className: "to", textContent: text });
    link.addEventListener("click", () => walk([...path, n]));
    link.addEventListener("pointerenter", () => light([n], "now"));
    link.addEventListener("pointerleave", () => tint([shown()]));
    return link;
  };
  const shown = () => path[path.length - 1];

  const back = () => {
    const name = page.nameOf(path[path.length - 2]);
    const made = element("button", { type: "button", className: "back", textContent: `‹ ${name}`, ariaLabel: `Back to ${name}` });
    made.addEventListener("click", () => walk(path.slice(0, -1)));
    return made;
  };

  const show = (/** @type {number[]} */ next, /** @type {Element | null} */ from) => {
    path = next;
    describe(false);
    anchor = from;
    how.replaceChildren(...(path.length > 1 ? [back()] : []), lineOf(shown()));
    if (pinned) {
      const close = element("button", { type: "button", className: "close", textContent: "×", ariaLabel: "Close" });
      close.addEventListener("click", hide);
      how.append(close);
    }
    how.hidden = false;
    describe(true);
    tint([shown()]);
  };

  const describe = (/** @type {boolean} */ is) => (is ? anchor?.setAttribute("aria-describedby", "how") : anchor?.removeAttribute("aria-describedby"));

  const walk = (/** @type {number[]} */ next) => {
    pinned = true;
    show(next, anchor);
    const cell = page.places.get(shown())?.[0];
    if (cell && !isInSight(cell)) cell.scrollIntoView({ block: "center", behavior: page.instant });
    /** @type {HTMLElement} */ (how.querySelector(".line .to") || how.querySelector(".close")).focus({ preventScroll: true });
  };

  const isInSight = (/** @type {Element} */ one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight - bar.offsetHeight;
  };

  const hide = () => {
    const was = how.contains(document.activeElement) ? anchor : null;
    pinned = false;
    path = [];
    describe(false);
    anchor = null;
    if (!rest()) {
      tint([]);
      how.hidden = true;
      how.replaceChildren();
    }
    if (!(was instanceof HTMLElement || was instanceof SVGElement)) return;
    silent = true;
    was.focus({ preventScroll: true });
    silent = false;
  };

  // -- tints -----------------------------------------------------------------------------------------

  /** @type {[Element, string][]} */
  let lit = [];
  const put = (/** @type {Element} */ one, /** @type {string} */ kind) => {
    one.classList.add(kind);
    lit.push([one, kind]);
  };
  const light = (/** @type {number[]} */ numbers, /** @type {string} */ kind, /** @type {Element[]} */ products = []) => {
    for (const n of numbers) {
      const places = page.places.get(n) || [], inside = places.some((one) => products.some((product) => product.contains(one)));
      // what stands in the product that is worked isn't looked for in others
      for (const shape of page.main.querySelectorAll(`svg :not(b)[data-cell~="${n}"]`)) put(shape, kind);
      for (const one of places) if (!inside || !one.closest(".product") || products.some((product) => product.contains(one))) put(cellOf(one), kind);
    }
  };

  // what some numbers are worked from; of a product, the row of the left and the column of the above
  const tint = (/** @type {number[]} */ numbers) => {
    for (const [one, kind] of lit) one.classList.remove(kind);
    lit = [];
    light(numbers, "now");
    const products = [...document.querySelectorAll(".product:has(> .result .now)")];
    light([...new Set(numbers.flatMap(page.operandsOf))].filter((n) => !numbers.includes(n)), "operand", products);
    for (const product of products) {
      const rows = new Set([...product.querySelectorAll(".left .operand")].map((cell) => cell.closest("tr")));
      for (const row of rows) for (const cell of row?.cells || []) put(cell, "row");
      const columns = new Set([...product.querySelectorAll(".above td.operand")].map((cell) => /** @type {HTMLTableCellElement} */ (cell).cellIndex));
      for (const row of product.querySelectorAll(".above tr")) for (const column of columns) {
        const cell = /** @type {HTMLTableRowElement} */ (row).cells[column];
        if (cell) put(cell, "col");
      }
    }
  };

  // -- pointing, tapping, keys -------------------------------------------------------------------

  const placeOf = (/** @type {Element} */ shown) => Number(shown.getAttribute("data-n"));
  const toCome = (/** @type {Element} */ shown) => Boolean(shown.closest(".later"));

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse" || pinned || bar.contains(/** @type {Node} */ (event.target))) return;
    const over = numberAt(event);
    if (over === anchor) return;
    if (over && !toCome(over)) show([placeOf(over)], over);
    else if (anchor) hide();
  });
  document.addEventListener("pointerleave", () => !pinned && anchor && hide());
  document.addEventListener("focusin", (event) => {
    const on = /** @type {Element} */ (event.target).closest("main [data-n]");
    if (on && !pinned && !silent) show([placeOf(on)], on);
  });
  document.addEventListener("focusout", (event) => {
    if (/** @type {Element} */ (event.target).closest("main [data-n]") && !pinned) hide();
  });
  document.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target), on = numberAt(event);
    if (on && !toCome(on)) {
      pinned = true;
      page.makeCurrent(on);
      show([placeOf(on)], on);
      if (on instanceof HTMLElement && !on.dataset.set) on.focus({ preventScroll: true }); // from which the arrow keys go on
    } else if (pinned && target.isConnected && !bar.contains(target)) hide();
  });

  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target), on = target.closest("main [data-n]");
    if (event.key === "Escape" && (pinned || anchor)) {
      if (path.length > 1) walk(path.slice(0, -1));
      else hide();
    } else if (on && (event.key === "Enter" || event.key === " ")) {
      pinned = true;
      anchor = on;
      walk([placeOf(on)]);
    } else {
      if (on && event.key.startsWith("Arrow")) pinned = false;
      return;
    }
    event.preventDefault();
  }, { capture: true }); // before other keys are looked at

  // what is told of a number stays open
  document.addEventListener("attn:renewed", () => {
    if (!anchor) return;
    if (!anchor.isConnected) return hide();
    show([placeOf(anchor)], anchor);
  });
  document.addEventListener("attn:worked", () => (anchor ? show(path, anchor) : rest()));

  Object.assign(page, {
    bar, how, lineOf, partsOf, tint, hide,
    rests: (/** @type {() => boolean} */ by) => { rest = by; hide(); },
  });
})();
