// Sets the shapes of a picture when their numbers are other ones: each says which numbers it shows (`data-cell`),
// how (`data-shows`), and by what scale (`data-scale`). A token of the ribbons shows its row and what that blends.
"use strict";
(() => {
  const page = window.attncli;
  const shadeOf = (share, shades) => { // half to even, as `shade_of` in Python
    const exact = Math.min(Math.max(share, 0), 1) * (shades - 1), near = Math.round(exact);
    return near - exact === 0.5 && near % 2 ? near - 1 : near;
  };
  const set = (shape, attributes) => Object.entries(attributes).forEach(([name, value]) => shape.setAttribute(name, value));
  const tenths = (size) => Number(size.toFixed(1)); // as fine as pictures are drawn
  const finite = (shapes) => shapes.filter(({ value }) => Number.isFinite(value));
  const groups = (shapes, by) => Map.groupBy(shapes, by).values();
  const within = ({ shape }) => shape.parentNode;
  const way = (points) => `M${points.map((point) => point.map((size) => size.toFixed(1)).join(" ")).join(" L")}`;

  // each sets shapes that show their numbers so; and returns false where there is no room for them
  const SHOW = {
    shade: (shapes) => {
      const most = Math.max(0, ...finite(shapes).map(({ value }) => Math.abs(value))) || 1;
      for (const map of groups(shapes, within)) for (const row of groups(map, ({ shape }) => shape.getAttribute("y"))) {
        const largest = Math.max(...row.map(({ value }) => value));
        for (const { shape, text, value, scale: [shades, whole] } of row) {
          const shade = Number.isFinite(value) ? `${value < 0 ? "-below" : ""}${shadeOf(Math.abs(value) / (whole || most), shades)}` : "";
          const fresh = text.classList.contains("fresh") ? " fresh" : "";
          set(shape, { class: shade ? `shade${shade}` : "page" });
          set(text, { class: `middle${whole && value === largest ? " most" : ""}${shade && ` on${shade}`}${fresh}` });
        }
      }
    },
    grey: (shapes) => {
      const values = shapes.map(({ value }) => value), low = Math.min(...values), spread = Math.max(...values) - low || 1;
      for (const { shape, text, value, scale: [light] } of shapes) {
        const share = (value - low) / spread;
        shape.style.fill = `rgb(${Array(3).fill(`${(share * 100).toFixed(1)}%`)})`;
        if (text) text.style.fill = share > light ? "black" : "white";
      }
    },
    width: (shapes) => { // as they were drawn; where one would be longer than any was then, all of a scale are shorter
      for (const alike of groups(shapes, ({ scale }) => `${scale.slice(1)}`)) {
        const [, drawn, left, right, gap] = alike[0].scale;
        const unit = Math.min(drawn, ...finite(alike).map(({ value }) => (value ? (value < 0 ? left : right) / Math.abs(value) : drawn)));
        if (!unit) return false;
        for (const { shape, text, value, scale: [zero] } of alike) {
          const size = Number.isFinite(value) ? value * unit : 0, below = value < 0;
          set(shape, { x: tenths(zero + Math.min(size, 0)), width: tenths(Math.abs(size)), class: below ? "bar below" : "bar" });
          set(text, { x: tenths(zero + size + (below ? -gap : gap)) });
          text.classList.toggle("end", below);
        }
      }
    },
    "stroke-width": (shapes) => { // beside each other from where their query's begin; none of a weight that is too small
      for (const query of groups(shapes, within)) {
        const [top, one, thin, least] = query[0].scale, seen = query.filter(({ value }) => value > 0 && value >= least);
        if (!seen.length) return false;
        const heaviest = Math.max(...seen.map(({ full }) => full));
        let x = top - (one * seen.reduce((sum, { full }) => sum + full, 0)) / 2;
        for (const each of query) {
          const { shape, text, full } = each, is = seen.includes(each);
          is ? shape.removeAttribute("display") : set(shape, { display: "none" });
          text.classList.toggle("aside", !is);
          const word = shape.parentNode.querySelector(`text[data-cell="${shape.dataset.cell}"]`);
          set(word, { class: `middle ${is ? "inked K" : "aside"}` });
          const wide = is ? one * full : 0, moved = shape.getAttribute("d").replace(/(?<=[MC])\S+/g, (x + wide / 2).toFixed(1));
          set(shape, { d: moved, class: is && full === heaviest ? "ribbon most" : "ribbon", "stroke-width": tenths(Math.max(wide, thin)) });
          x += wide;
        }
      }
    },
    arrow: (shapes) => { // each from its start to its end; its label goes along, if all that have it go the same way
      const moved = new Map(), plane = shapes[0].shape.parentNode, ends = shapes.flatMap(({ all }) => all.map(({ value }) => value));
      const axes = axesOf(plane, shapes[0].scale, [0, 1].map((side) => ends.filter((_, k) => k % 2 === side)));
      if (!axes) return false;
      const [x, y, unit] = axes;
      for (const { shape, all, scale: [, , , , , ...drawn] } of shapes) {
        const points = [[0, 1], [2, 3]].map(([k, l]) => (all.length > k ? [x + all[k].value * unit, y - all[l].value * unit] : [x, y]));
        const [[to, down], [from, above]] = points, line = shape.querySelector("line"), far = Math.hypot(to - from, down - above);
        if (!far !== !line) return false;
        moved.set(shape.dataset.cell, [to - drawn[0], down - drawn[1]]);
        if (!line) continue;
        const along = (share) => [from + (to - from) * share, above + (down - above) * share];
        const length = Math.min(HEAD, far), half = (HALF * length) / HEAD, [a, b] = [(to - from) / far, (down - above) / far];
        const [p, q] = along(1 - length / far), [neck, low] = along(Math.max(0, 1 - (HEAD * 0.8) / far));
        set(line, { x1: tenths(from), y1: tenths(above), x2: tenths(neck), y2: tenths(low) });
        set(shape.querySelector("path"), { d: `${way([[to, down], [p - b * half, q + a * half], [p + b * half, q - a * half]])} z` });
      }
      const keys = [...moved.keys()];
      for (const label of plane.querySelectorAll(":scope > :is(text, path)[data-cell]")) {
        const its = ` ${label.dataset.cell} `, [first, ...others] = keys.filter((key) => its.includes(` ${key} `)).map((key) => moved.get(key));
        if (others.some(([across, down]) => Math.hypot(across - first[0], down - first[1]) > 0.5)) return false;
        if (Math.hypot(...first) < 0.05) label.removeAttribute("transform");
        else set(label, { transform: `translate(${first.map(tenths).join(" ")})` });
      }
    },
    point: (shapes) => { // as high as the axis has it; the curve goes through all, and its name stays
      for (const curve of groups(shapes, within)) {
        const lines = [...curve[0].shape.parentNode.querySelectorAll(".curve")], leader = curve[0].shape.parentNode.querySelector(".leader");
        const points = curve.map(({ shape, value, scale: [bottom, top, low, high, isLog] }) => {
          const share = ((isLog ? Math.log10(value) : value) - low) / (high - low);
          const x = Number(shape.getAttribute("cx") ?? Number(shape.getAttribute("x")) + MARK);
          return [x, share >= -1e-6 && share <= 1 + 1e-6 ? bottom + (top - bottom) * share : NaN];
        });
        if (points.some(([, y]) => Number.isNaN(y)) || lines.length !== Number(points.length > 1)) return false;
        if (lines[0]) set(lines[0], { d: way(points) });
        curve.forEach(({ shape }, k) => {
          const [x, y] = points[k];
          set(shape, shape.localName === "circle" ? { cy: tenths(y) } : { y: tenths(y - MARK) });
          if (shape.hasAttribute("transform")) set(shape, { transform: `rotate(45 ${x.toFixed(1)} ${y.toFixed(1)})` });
        });
        if (!leader) continue;
        const [start, bend, end] = leader.getAttribute("d").slice(1).split(" L").map((point) => point.split(" ").map(Number));
        start[1] = bend[1] = points[points.length - 1][1];
        set(leader, { d: way([start, bend, end]) });
      }
    },
  };
  // where a plane has its origin, and the size of a unit; axes of its own where vectors go beyond those that it was drawn with
  const axesOf = (plane, [x, y, unit, wide, high], sides) => {
    if (!sides.flat().every(Number.isFinite)) return null;
    const [across, along] = sides.map((numbers) => [Math.min(0, ...numbers), Math.max(0, ...numbers)]);
    plane.querySelectorAll(":scope > .other").forEach((one) => one.remove());
    const drawing = plane.ownerSVGElement, isAlone = drawing.querySelectorAll("g:has(> [data-shows=arrow])").length === 1;
    const widen = (by) => { // what a plane takes more than it was drawn with
      plane.frame ??= drawing.viewBox.baseVal.width;
      drawing.viewBox.baseVal.width = plane.frame + by;
      set(drawing, { width: plane.frame + by });
    };
    const has = ([low, most], before, after) => low * unit > -before - 0.5 && most * unit < after + 0.5;
    if (has(across, x, wide - x) && has(along, high - y, y)) {
      plane.was?.forEach((one) => one.removeAttribute("display"));
      delete plane.dataset.axes;
      if (plane.frame) widen(0);
      return [x, y, unit];
    }
    const spans = (step) => [across, along].map(([low, most]) => [Math.floor(low / step), Math.max(1, Math.ceil(most / step))].map((k) => k * step));
    const unitOf = ([[left, right], [low, top]]) => Math.min((isAlone ? Math.max(wide, high) : wide) / (right - left), high / (top - low));
    const least = Math.floor(Math.log10(Math.max(across[1] - across[0], along[1] - along[0]))) - 2;
    const step = [...Array(15).keys()].map((k) => [1, 2, 5][k % 3] * 10 ** (least + Math.floor(k / 3))).find((one) => one * unitOf(spans(one)) >= TICK);
    const [[left, right], [low, top]] = spans(step), size = unitOf([[left, right], [low, top]]), start = high - (top - low) * size, zero = [-left * size, start + top * size];
    plane.was ??= [...plane.querySelectorAll(":scope > :is(line, text.aside):not([data-cell])")];
    plane.was.forEach((one) => set(one, { display: "none" }));
    const used = Math.max(wide, (right - left) * size);
    plane.dataset.axes = [...zero, size, used].join(" ");
    widen(used - wide);
    const put = (name, attributes, text = "") => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", name);
      set(made, attributes);
      made.textContent = text;
      plane.prepend(made);
    };
    const ticks = (first, last) => Array.from({ length: Math.round((last - first) / step) + 1 }, (_, k) => first + k * step);
    const written = (number) => number.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9))).replace(/^-(?=0\.?0*$)/, "").replace("-", "−");
    for (const number of ticks(left, right)) {
      const at = tenths(zero[0] + number * size), kind = Math.abs(number) < step / 2 ? "axis" : "grid";
      put("line", { x1: at, y1: tenths(start), x2: at, y2: high, class: `${kind} other` });
      put("text", { x: at, y: high + 23.4, class: "middle aside other" }, written(number));
    }
    for (const number of ticks(low, top)) {
      const at = tenths(zero[1] - number * size), kind = Math.abs(number) < step / 2 ? "axis" : "grid";
      put("line", { x1: 0, y1: at, x2: tenths((right - left) * size), y2: at, class: `${kind} other` });
      put("text", { x: -6, y: tenths(at + 4.2), class: "end aside other" }, written(number));
    }
    return [...zero, size];
  };
  const TICK = 42; // how far the lines of a grid are apart at least

  const HEAD = 11, HALF = 4.5, MARK = 4; // how long and how wide the head of an arrow is, and a point of a curve

  // sets a picture by what `numberOf` says of a place; returns whether it can show that
  const setPicture = (figure, numberOf) => {
    const shapes = [...figure.querySelectorAll("[data-shows]")].map((shape) => {
      const { cell } = shape.dataset, after = shape.nextElementSibling, all = cell.split(" ").map(numberOf);
      const [rooms, scale] = [shape.dataset.room, shape.dataset.scale].map((numbers) => numbers.split(" ").map(Number));
      const text = after?.dataset.n === cell ? after : shape.parentNode.querySelector(`text[data-n="${cell}"]`);
      return { shape, text, rooms, scale, all, ...all[0] };
    });
    const isWide = ({ text, rooms, value }) => text?.textContent.length > (rooms[value < 0 ? 1 : 0] ?? rooms[0]);
    if (shapes.some((each) => each.all.some(({ value }) => Number.isNaN(value)) || isWide(each))) return false;
    return [...Map.groupBy(shapes, ({ shape }) => shape.dataset.shows)].every(([how, its]) => SHOW[how](its) !== false);
  };

  // -- a token of the ribbons: its row of weights, and what that blends -------------------------------

  const MOST_SUMS = 6;
  // one line of vectors: the first numbers of each
  const blendOf = (row, sums) => {
    const parts = sums.slice(0, MOST_SUMS).map((n) => page.entry(n).slice(1)), name = page.nameOf(sums[0]).replace(/, [^,]*\]$/, "]");
    const vector = (texts) => `[${[...texts, ...(sums.length > MOST_SUMS ? ["…"] : [])].join(", ")}]`;
    const terms = row.map((weight) => {
      const places = parts.map((of) => of.findIndex((part) => part[1] === weight && Array.isArray(part)));
      return `${parts[0][places[0]][0]} × ${vector(parts.map((of, k) => of.slice(places[k] + 1).find(Array.isArray)[0]))}`;
    });
    return `${name} = ${terms.join(" + ")} = ${vector(parts.map((of) => of.at(-1)[0]))}`;
  };
  const tokenAt = ({ target }) => target.closest?.("main svg [data-row]");
  let asked = null;
  const answer = (token) => {
    asked = token;
    const row = token.dataset.row.split(" ").map(Number);
    const isBlend = (of) => of.length > row.length && row.every((weight) => of.includes(weight)); // the sum of the row is of no more
    const sums = [...page.places.keys()].filter((n) => isBlend(page.operandsOf(n)));
    page.tint([...row, ...sums]);
    const line = () => page.element("div", { className: "line" }, page.element("span", { textContent: blendOf(row, sums) }));
    page.how.replaceChildren(...(sums.length ? [line()] : row.map(page.lineOf)));
    page.how.hidden = false;
  };
  // one token of a picture can be reached by Tab, the others from it by the arrow keys
  const tokensOf = (drawing) => [...drawing.querySelectorAll("[data-row]")];
  const bind = () => {
    asked = null;
    for (const drawing of page.main.querySelectorAll("svg:has([data-row])")) tokensOf(drawing).forEach((token, k) => (
      set(token, { tabindex: k ? -1 : 0, role: "button", "aria-label": `${token.textContent}: its row and what that blends` })));
  };
  const NEXT = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
  const leave = () => {
    asked = null;
    page.hide();
  };
  const onKey = (event) => {
    const token = tokenAt(event), leaves = event.key === "Escape" && asked;
    if (event.ctrlKey || event.altKey || event.metaKey || !(leaves || (token && event.key in NEXT))) return;
    event.preventDefault();
    if (leaves) return leave();
    const tokens = tokensOf(token.ownerSVGElement), next = tokens[tokens.indexOf(token) + NEXT[event.key]] ?? token;
    set(token, { tabindex: -1 });
    set(next, { tabindex: 0 });
    next.focus();
  };
  if (page.how) {
    for (const kind of ["pointerover", "focusin", "click"]) document.addEventListener(kind, (event) => tokenAt(event) && answer(tokenAt(event)));
    for (const kind of ["pointerout", "focusout"]) document.addEventListener(kind, (event) => tokenAt(event) && leave());
    document.addEventListener("keydown", onKey, { capture: true }); // before other keys are looked at
    document.addEventListener("attn:renewed", bind);
    bind();
  }
  Object.assign(page, { setPicture, shadeOf });
})();
