// Stepping: one result after the other goes into its place, what is to come is blank. Who wants to is asked first.
"use strict";
(() => {
  const page = window.attncli, { bar, how, element, cellOf } = page;
  if (!bar) return;
  // what has results, what shows them again, and lines for those that stand in no table
  const TABLES = ["table:is(.quantity, .vectors):not(:is(.left, .above, .after) *)", ":is(.left, .above, .after) table", "table.working"];
  const [FEWEST, MOST] = [2, 120]; // stops of a page
  const PAUSE = 1500; // milliseconds between stops that are played
  const NARROW = 960; // of a window, pixels
  const MOST_TOLD = 6; // operands that are told where they are out of sight
  const FURTHEST = 50; // pixels from which on a finger swipes

  // -- stops: a cell, or a row, or a table, as fine as there is room for; of a line all that it makes ---

  /** @type {Attncli.Stop[]} */
  let stops = [];
  let at = -1; // the stop that is shown; none while everything is
  let longest = 0; // characters of their names
  let noun = ""; // what stops are, a number each or several

  const isMade = (/** @type {number} */ n) => page.entry(n).length > 3; // given and copied numbers aren't
  const isCell = (/** @type {number} */ n) => page.entry(n)[0] !== "";
  const within = (/** @type {Element} */ one) => [...one.querySelectorAll("[data-n]")].map((shown) => Number(shown.getAttribute("data-n")));

  // the tables with those of their numbers, by rows, that they show as results; all else shows them again
  const tablesOf = () => {
    const tables = page.sections.slice(1).flatMap((section) => [...section.querySelectorAll(`${TABLES}`)]);
    const rowsOf = (/** @type {Element} */ table) => [...table.querySelectorAll("tbody tr")]
      .map((row) => [...new Set(within(table.matches(TABLES[2]) && row.lastElementChild || row))]);
    const home = new Map();
    for (const kind of TABLES) for (const table of tables.filter((one) => one.matches(kind))) {
      for (const n of rowsOf(table).flat()) if (!home.has(n) && isMade(n) && isCell(n)) home.set(n, table);
    }
    return tables.map((table) => ({
      table, section: page.sections.findIndex((section) => section.contains(table)),
      rows: rowsOf(table).map((row) => row.filter((n) => home.get(n) === table)).filter((row) => row.length),
    })).filter(({ rows }) => rows.length);
  };

  const stopsOf = () => {
    const tables = tablesOf().map((table) => ({ ...table, parts: [table.rows.flat()] }));
    let count = tables.length;
    const smallest = [...tables].sort((a, b) => a.parts[0].length - b.parts[0].length);
    const finer = [(/** @type {number[][]} */ rows) => rows, (/** @type {number[][]} */ rows) => rows.flat().map((n) => [n])];
    for (const cut of finer) for (const table of smallest) {
      const parts = table.table.matches(TABLES[2]) ? table.rows : cut(table.rows), more = parts.length - table.parts.length;
      if (count + more > MOST) break;
      table.parts = parts;
      count += more;
    }
    const found = ordered(tables.flatMap(({ section, table, parts }) => parts.map((numbers) => ({ section, table, numbers }))));
    return count <= MOST ? found : [...Map.groupBy(found, (stop) => stop.section)]
      .map(([section, its]) => ({ ...its[0], section, numbers: its.flatMap((stop) => stop.numbers) }));
  };

  // the cells that a number is worked from, also by way of what is none
  /** @type {(n: number) => number[]} */
  const cellsFrom = (n) => page.operandsOf(n).flatMap((other) => (isCell(other) ? [other] : cellsFrom(other)));

  // what a step needs of itself comes first; what is told twice comes once
  const ordered = (/** @type {Attncli.Stop[]} */ found) => {
    const first = new Map(), sorted = new Set();
    for (const stop of found) stop.numbers = stop.numbers.filter((n) => {
      const told = `${stop.section} ${page.nameOf(n)}${page.textOf(n)}`, once = first.get(told);
      if (once) once.numbers.push(n);
      else first.set(told, stop);
      return !once;
    });
    const home = new Map(found.flatMap((stop) => stop.numbers.map((n) => [n, stop])));
    const seen = new Set();
    const add = (/** @type {Attncli.Stop} */ stop) => {
      if (seen.has(stop)) return;
      seen.add(stop);
      for (const n of stop.numbers.flatMap(cellsFrom)) {
        const before = home.get(n);
        if (before?.section === stop.section) add(before);
      }
      if (stop.numbers.length) sorted.add(stop);
    };
    found.forEach(add);
    return [...sorted];
  };

  // -- what is to come ---------------------------------------------------------------------------------

  /** @type {Map<number, Element[]>} */
  let shows = new Map(); // what shows each number: cells, lines and pictures; and notes on all of a step
  /** @type {Map<Element, number>} */
  const blanks = new Map(); // of what isn't seen, how many of its numbers are to come
  /** @type {Set<number>} */
  let hidden = new Set();

  const showsOf = () => {
    const found = new Map(stops.flatMap((stop) => stop.numbers).map((n) => [n, (page.places.get(n) || []).map(cellOf)]));
    const add = (/** @type {Element} */ whole, /** @type {Iterable<number>} */ numbers) => {
      for (const n of new Set(numbers)) found.get(n)?.push(whole);
    };
    // what is no cell, such as the sum of a row, is there when all that it is worked from is
    for (const [n, places] of page.places) if (!isCell(n)) places.map(cellOf).forEach((one) => add(one, page.operandsOf(n)));
    for (const line of page.main.querySelectorAll("table.working tr")) if (line.lastElementChild) add(line, within(line.lastElementChild));
    for (const figure of page.main.querySelectorAll("figure, svg")) add(figure, within(figure));
    page.sections.forEach((section, k) => {
      const all = stops.filter((stop) => stop.section === k).flatMap((stop) => stop.numbers);
      for (const note of section.querySelectorAll("aside")) add(note, all);
    });
    for (const answer of page.main.querySelectorAll(".answer")) add(answer, within(answer));
    return found;
  };

  const blank = (/** @type {Set<number>} */ next) => {
    const count = (/** @type {number} */ n, /** @type {number} */ by) => {
      for (const one of shows.get(n) || []) {
        const now = (blanks.get(one) || 0) + by;
        blanks.set(one, now);
        one.classList.toggle("later", now > 0);
      }
    };
    for (const n of hidden) if (!next.has(n)) count(n, -1);
    for (const n of next) if (!hidden.has(n)) count(n, 1);
    hidden = next;
  };

  // -- the bar -------------------------------------------------------------------------------------------

  const button = (/** @type {string} */ textContent, /** @type {() => void} */ act, properties = {}) => {
    const made = element("button", { type: "button", textContent, ...properties });
    made.addEventListener("click", act);
    return made;
  };
  const count = element("output", { ariaLive: "off" });
  const before = button("◀", () => back(), { ariaLabel: "Back" });
  const after = button("▶", () => (at < 0 ? begin() : go(at + 1)), { ariaLabel: "Next", title: "Next (→)" });
  const play = button("Play", () => (timer ? stop() : start()), { className: "play" });
  const ask = button("Ask me first", () => askFirst(!asking), { title: "Ask me for each number before it is shown (a)" });
  const leave = button("Show all", () => end(), { title: "Show everything again (Escape)" });
  const controls = element("div", { className: "stepper" }, before, count, after, play, ask, leave);
  controls.setAttribute("role", "group");
  controls.setAttribute("aria-label", "One number after the other");
  bar.prepend(controls);

  const tell = () => {
    count.textContent = at < 0 ? `${stops.length} ${noun}` : `${at + 1} of ${stops.length}`;
    count.style.minWidth = `${String(stops.length).length + 7.6}ch`; // buttons stay where they are
    before.disabled = at < 0 || (asking && at === 0); // nothing is told to one who is asked
    before.title = at ? "Back (←)" : "Back to the whole page (←)";
    after.disabled = at >= 0 && at === stops.length - 1;
    leave.style.visibility = at < 0 ? "hidden" : "";
    play.textContent = timer ? "Pause" : "Play";
    ask.setAttribute("aria-pressed", String(asking));
    controls.hidden = stops.length < FEWEST;
  };

  // -- going on --------------------------------------------------------------------------------------------

  const first = () => Math.max(0, stops.findIndex((stop) => stop.section >= page.now)); // from where one reads
  const begin = () => go(first());

  const back = () => (at > 0 ? go(at - 1) : asking || end());

  const go = (/** @type {number} */ k) => {
    if (!stops.length) return;
    const from = at;
    at = Math.min(Math.max(k, 0), stops.length - 1);
    if (at === from) stop();
    document.body.classList.add("stepping");
    asked = asking ? null : undefined;
    fresh = true;
    toField = true;
    page.mark(stops[at].section);
    const fold = stops[at].table.closest("details");
    if (fold) fold.open = true;
    settle();
    page.rests(resting);
    inSight();
  };

  // blank is what is to come, and what is asked for
  const settle = () => {
    const open = asked === null;
    blank(new Set(stops.slice(open ? at : at + 1).flatMap((stop) => stop.numbers)));
    tell();
  };

  const inSight = () => {
    const { table, numbers: [n] } = stops[at], places = (page.places.get(n) || []).filter((one) => one.checkVisibility());
    const seen = places.filter((one) => one.checkVisibility({ visibilityProperty: true })), those = seen.length ? seen : places; // what is asked for isn't seen
    const place = those.findLast((one) => table.contains(one)) || those[0];
    if (!place) return;
    const cell = cellOf(place);
    const high = innerHeight - bar.offsetHeight, whole = cell.closest(".product");
    // what it is worked from is in sight with it, where both fit
    const from = page.operandsOf(n).flatMap((other) => nearest(other, cell));
    const low = innerWidth > NARROW ? 50 : 90; // what else stays in sight is above
    const [top, bottom] = [[...from, whole || cell], [whole || cell], [cell]].map(spanOf).find(([top, bottom]) => bottom - top < high - low) || spanOf([cell]);
    if (top < low || bottom > high) scrollBy({ top: (top + bottom) / 2 - (high + low) / 2, behavior: page.instant });
    cell.closest(".scroll, .product, .beside") && cell.scrollIntoView({ block: "nearest", inline: "nearest", behavior: page.instant });
    const isSeen = (/** @type {Element} */ one) => { const [top, bottom] = spanOf([one]); return top >= low && bottom <= high; };
    const away = [...new Set(cellsFrom(n))].filter((other) => !nearest(other, cell).some(isSeen));
    const told = away.slice(0, MOST_TOLD).map((other) => `${page.nameOf(other)} = ${resultOf(other)}`);
    given.textContent = [...told, ...(away.length > MOST_TOLD ? ["…"] : [])].join(", ");
  };
  const spanOf = (/** @type {Element[]} */ them) => {
    const boxes = them.map((one) => one.getBoundingClientRect());
    const [top, bottom] = [Math.min(...boxes.map((box) => box.top)), Math.max(...boxes.map((box) => box.bottom))];
    return [top, bottom];
  };
  // where a number is seen, nearest to a cell
  const nearest = (/** @type {number} */ n, /** @type {Element} */ cell) => {
    const { top } = cell.getBoundingClientRect(), apart = (/** @type {Element} */ one) => Math.abs(one.getBoundingClientRect().top - top);
    const seen = (page.places.get(n) || []).filter((one) => one.checkVisibility({ visibilityProperty: true }));
    return seen.map(cellOf).sort((a, b) => apart(a) - apart(b)).slice(0, 1);
  };

  const end = () => {
    if (at < 0) return;
    stop();
    at = -1;
    asking = false;
    asked = undefined;
    said = "";
    document.body.classList.remove("stepping");
    blank(new Set());
    page.rests(() => false);
    if (bar.contains(document.activeElement)) after.focus();
    tell();
  };

  let timer = 0;
  const start = () => {
    askFirst(false);
    if (at < 0 || at === stops.length - 1) go(0);
    timer = setInterval(() => (at < stops.length - 1 ? go(at + 1) : stop()), PAUSE);
    tell();
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    tell();
  };

  // -- what is shown of a stop: its working, or a field for its number -----------------------------------

  let toField = false; // whether the field is gone to, where a number is asked for
  let fresh = false; // whether the terms of the line come one after the other
  const resting = () => {
    if (at < 0) return false;
    const { numbers } = stops[at], [n] = numbers;
    page.tint(numbers);
    how.hidden = false;
    how.classList.toggle("coming", fresh && asked === undefined);
    fresh = false;
    if (asked === null) {
      if (!how.contains(field) || field.ariaLabel !== page.nameOf(n)) how.replaceChildren(question(n));
      if (toField) queueMicrotask(() => field.focus({ preventScroll: true }));
      toField = false;
      return true;
    }
    const others = numbers.slice(1).filter((other) => page.nameOf(other) !== page.nameOf(n)).map((other) => `${page.nameOf(other)} = ${resultOf(other)}`);
    how.replaceChildren(page.lineOf(n), ...(others.length ? [element("div", { className: "of", textContent: `likewise ${others.join(", ")}` })] : []));
    return true;
  };
  const resultOf = (/** @type {number} */ n) => {
    const last = page.entry(n).at(-1);
    return Array.isArray(last) ? last[0] : String(last);
  };

  page.decimals = () => Math.max(0, ...stops.flatMap((stop) => stop.numbers).map((n) => resultOf(n).split(".")[1]?.length ?? 0));

  // -- asking first ----------------------------------------------------------------------------------------

  let asking = false;
  /** @type {string | null | undefined} */
  let asked; // null while a number is asked for
  let said = "";
  const field = element("input", { size: 9, autocomplete: "off", spellcheck: false, inputMode: "text" });
  const verdict = element("span", { className: "verdict" });
  verdict.setAttribute("role", "status");
  const given = element("span", { className: "of" }); // what is worked from, where it is out of sight

  const askFirst = (/** @type {boolean} */ is) => {
    if (asking === is) return;
    asking = is;
    if (is) stop();
    if (!is && asked === null) asked = undefined;
    if (is) {
      const k = at < 0 || at === stops.length - 1 ? first() : at + 1, isSeen = document.querySelector("nav.contents figure")?.checkVisibility();
      said = `Asking from ${titleOf(k)}; choose another step in the ${isSeen ? "chart" : "contents"}.`;
      go(k);
    }
    else if (at >= 0) { settle(); page.rests(resting); }
    tell();
  };

  const titleOf = (/** @type {number} */ k) => page.sections[stops[k].section].querySelector("h1, h2")?.textContent;

  const question = (/** @type {number} */ n) => {
    const name = page.nameOf(n);
    Object.assign(field, { value: "", ariaLabel: name });
    verdict.textContent = said;
    said = "";
    const says = element("div", { className: "says" }, verdict, " ", given);
    const asks = element("bdi", { textContent: name });
    asks.style.minWidth = `min(100%, ${longest}ch)`; // what stands behind it stays where it is
    const form = element("form", { className: "line" }, says, asks, " = ", field, " ",
      element("button", { textContent: "Check" }), " ", button("Hint", () => hint(n)), " ", button("Show it", () => answered("")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const { right, says } = page.judge(n, field.value);
      if (right) return answered(`✓ ${name} = ${resultOf(n)}: ${says}`);
      verdict.textContent = `✗ ${says}`;
      field.select();
    });
    return form;
  };

  // the line in numbers, but for what it comes to
  const hint = (/** @type {number} */ n) => {
    const texts = page.partsOf(n).map((part) => (Array.isArray(part) ? part[0] : part));
    const ends = texts.findIndex((text, k) => k > 0 && /[=≈]/.test(text));
    verdict.textContent = texts.slice(0, ends).join("").replace(/^\s*[=≈]/, "").trim();
    field.focus({ preventScroll: true });
  };

  // what was asked for goes into its place, and the next one is asked for
  const answered = (/** @type {string} */ says) => {
    said = says;
    asked = undefined;
    const isLast = at === stops.length - 1;
    if (isLast) asking = false;
    settle();
    if (says && !isLast) go(at + 1);
    else {
      fresh = true;
      page.rests(resting);
      if (says) how.querySelector(".line")?.prepend(element("span", { className: "verdict", textContent: says }));
      (isLast ? leave : after).focus();
    }
  };

  // -- keys, fingers, the map ------------------------------------------------------------------------------

  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target), typing = target.closest("input, select, textarea");
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape" && target === field) ask.focus(); // the question stays
    else if (event.key === "Escape" && at >= 0) end();
    else if (event.key === "a" && !typing && !controls.hidden) askFirst(!asking);
    else if (typing ? target !== field || field.value : target.closest("[data-n], .scroll[tabindex], summary")) return;
    else if (event.key === "ArrowRight") after.click();
    else if (event.key === "ArrowLeft" && at >= 0) back();
    else return;
    event.preventDefault();
  });

  // a cell that is to come is gone to
  document.addEventListener("click", (event) => {
    const on = page.numberAt(event), n = Number(on?.getAttribute("data-n"));
    const k = at >= 0 && on?.closest(".later") ? stops.findIndex((stop) => stop.numbers.includes(n)) : -1;
    if (k < 0) return;
    stop();
    go(k);
  });

  /** @type {Touch | null} */
  let touched = null;
  document.addEventListener("touchstart", ({ touches, target }) => {
    // what is wider than the window is moved by a finger, and so is the bar
    const on = /** @type {Element} */ (target), frame = on.closest(".scroll, .beside, .product");
    const wide = frame && frame.scrollWidth > frame.clientWidth;
    touched = touches.length === 1 && !wide && !on.closest("#bar, input, select") ? touches[0] : null;
  }, { passive: true });
  document.addEventListener("touchend", ({ changedTouches: [last] }) => {
    if (!touched || at < 0) return;
    const [x, y] = [last.clientX - touched.clientX, last.clientY - touched.clientY];
    touched = null;
    if (Math.abs(x) < FURTHEST || Math.abs(x) < 2 * Math.abs(y)) return;
    if (x < 0) after.click();
    else if (at > 0) go(at - 1);
  }, { passive: true });

  document.addEventListener("attn:goto", (event) => {
    const k = stops.findIndex((stop) => stop.section >= event.detail);
    if (at < 0 || k < 0) return;
    if (asking) said = `Asking from ${titleOf(k)}.`;
    event.preventDefault(); // its number is gone to
    go(k);
  });

  // -- numbers that become others ----------------------------------------------------------------------------

  // what was said is of numbers as they were
  const forget = () => {
    said = "";
    verdict.textContent = "";
  };

  const bind = () => {
    blank(new Set());
    const there = stops[at]?.numbers[0], was = at;
    stops = stopsOf();
    noun = stops.every(({ numbers }) => new Set(numbers.map(page.nameOf)).size === 1) ? "numbers" : "results";
    longest = Math.max(0, ...stops.map(({ numbers: [n] }) => page.nameOf(n).length));
    shows = showsOf();
    blanks.clear();
    forget();
    if (was >= 0) {
      at = Math.max(0, stops.findIndex((stop) => stop.numbers.includes(there)));
      settle();
      page.rests(resting);
    }
    tell();
  };
  document.addEventListener("attn:renewed", bind);
  document.addEventListener("attn:worked", () => (stops.length ? forget() : bind()));
  bind();
})();
