// Draws a page's pictures again when their numbers are other ones, each as `formats/svg` draws it.
"use strict";
(() => {
  // -- texts and elements ---------------------------------------------------------------------------

  const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
  const widthOf = (text) => [...text.replace(/[\p{M}\p{Cf}]/gu, "")].reduce((sum, one) => sum + (WIDE.test(one) ? 2 : 1), 0) * 8.5;
  const widest = (texts) => Math.max(0, ...texts.map(widthOf));
  const labelOf = (text) => (/^[!-/:-@[-`{-~]+$/.test(text) ? `“${text}”` : text);
  const escaped = (text) => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt()};`);
  const near = (x) => x.toFixed(1);
  const element = (name, inside, attributes) => {
    const told = Object.entries(attributes).map(([key, x]) => ` ${key}="${typeof x === "number" ? Math.round(x * 10) / 10 : escaped(x)}"`);
    return `<${name}${told.join("")}>${inside}</${name}>`;
  };
  const asked = ({ n }) => ({ "data-n": n });
  const textAt = (x, y, text, kind, more = {}) => element("text", escaped(text), { x, y: y + 4.9, ...(kind && { class: kind }), ...more });
  const line = ([x1, y1], [x2, y2], kind) => element("line", "", { x1, y1, x2, y2, class: kind });
  const along = (points) => `M${points.map((point) => point.map(near).join(" ")).join(" L")}`;
  const path = (points, kind) => element("path", "", { d: along(points), class: kind });
  const shifted = ({ elements }, x, y) => element("g", elements.join(""), { transform: `translate(${near(x)} ${near(y)})` });
  const bands = (parts, width, room, gap) => {
    const rows = [];
    let used = 0;
    for (const part of parts) {
      if (!rows.length || used + width(part) > room) [used] = [0, rows.push([])];
      rows.at(-1).push(part);
      used += width(part) + gap;
    }
    return rows;
  };
  const inWords = (sentences, sizes) => {
    let total = 0;
    const kept = sentences.findIndex((_, k) => (total += sizes[k]) > 400 && k);
    return (kept < 0 ? sentences : [...sentences.slice(0, kept), `And ${sentences.length - kept} more.`]).join(" ");
  };
  const seriesInWords = (all, labels) => inWords(
    all.map(({ name, numbers }) => `${name ? `${name}: ` : ""}${numbers.map(({ text }, k) => `${text} (${labels[k]})`).join(", ")}.`),
    all.map(({ numbers }) => numbers.length),
  );

  // -- axes -----------------------------------------------------------------------------------------

  const ends = (numbers) => [Math.min(0, ...numbers), Math.max(0, ...numbers)];
  const tick = (value) => Evaluator.text({ value, places: value.isZero() ? 0 : Math.max(0, value.dp()) });
  const axisOf = (numbers, spread = 0) => {
    let [low, high] = ends(numbers);
    if (low === high) high = spread / 6 || 1;
    const least = (spread || high - low) / 6, power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least * (1 - 1e-9));
    const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)], exact = new Decimal(step.toPrecision(6));
    const ticks = Array.from({ length: last - first + 1 }, (_, k) => [(first + k) * step, Evaluator.text({ value: exact.times(first + k), places: exact.dp() })]);
    return { low: ticks[0][0], high: ticks.at(-1)[0], ticks, share(x) { return (x - this.low) / (this.high - this.low); } };
  };
  const logarithmicAxis = (numbers) => {
    const above = numbers.filter((x) => x > 0).map(Math.log10), logs = above.length ? above : [0];
    const low = Math.floor(Math.min(...logs) + 1e-9), high = Math.max(Math.ceil(Math.max(...logs) - 1e-9), low + 1);
    const ticks = [];
    for (let k = low; k <= high; k += Math.ceil((high - low) / 7)) ticks.push([10 ** k, tick(new Decimal(10).pow(k))]);
    return { low, high, ticks, share: (x) => (x > 0 ? (Math.log10(x) - low) / (high - low) : NaN) };
  };

  // -- curves and bars ------------------------------------------------------------------------------

  const LINE = 18, TOP = 12, PHONE = 504;
  const Curves = ({ title, axis: called, labels, series, logarithmic }) => {
    const numbers = series.flatMap((its) => its.numbers.map(({ value }) => value)).filter(Number.isFinite);
    const axis = (logarithmic ? logarithmicAxis : axisOf)(numbers);
    const left = Math.max(widest(axis.ticks.map(([, text]) => text)) + 10, widthOf(labels[0]) / 2, widthOf(called) / 2 - 150);
    const wide = Math.min(Math.max(300, 56 * labels.length), 640), high = Math.max(240, LINE * (series.length + 1)), right = left + wide;
    const x = (k) => left + wide * (labels.length > 1 ? k / (labels.length - 1) : 0.5), y = (value) => TOP + high * (1 - axis.share(value));
    const points = series.map((its) => its.numbers.map(({ value }, k) => (Number.isFinite(y(value)) ? [x(k), y(value)] : null)));
    const elements = axis.ticks.flatMap(([value, text]) => [line([left, y(value)], [right, y(value)], value === 0 ? "axis" : "grid"), textAt(left - 10, y(value), text, "end aside")]);
    let every = 1;
    while (every < labels.length && every * wide / Math.max(1, labels.length - 1) < widest(labels.filter((_, k) => k % every === 0)) + 10) every += 1;
    labels.forEach((text, k) => k % every || elements.push(textAt(x(k), TOP + high + LINE, text, "middle aside")));
    if (called) elements.push(textAt(left + wide / 2, TOP + high + 2 * LINE + 4, called, "middle aside"));
    points.forEach((its, k) => {
      const runs = [[]];
      for (const point of its) point ? runs.at(-1).push(point) : runs.push([]);
      elements.push(...runs.filter((run) => run.length > 1).map((run) => path(run, `curve ink${k % 6} dash${k % 4}`)));
      its.forEach((point, i) => point && elements.push(mark(k, point, series[k].numbers[i])));
    });
    const last = points.map((its) => its.findLast(Boolean) || [left, TOP + high]), heights = apart(last.map((point) => point[1]), TOP, TOP + high);
    series.forEach(({ name }, k) => name && elements.push(
      path([[last[k][0] + 10, last[k][1]], [Math.max(last[k][0], right) + 10, last[k][1]], [right + 40, heights[k]]], `leader ink${k % 6}`),
      textAt(right + 44, heights[k], name, `inked ink${k % 6}`)));
    const size = [Math.max(right + 44 + widest(series.map(({ name }) => name)), left + wide / 2 + widthOf(called) / 2), TOP + high + LINE * (called ? 3 : 2)];
    return [{ title, text: seriesInWords(series, labels), size, elements }];
  };
  const mark = (k, [x, y], number) => {
    const text = `<title>${number.text}</title>`, look = { class: `point ink${k % 6}${k % 2 ? " hollow" : ""}` };
    if (k % 3 === 0) return element("circle", text, { cx: x, cy: y, r: 4, ...look, ...asked(number) });
    const turn = k % 3 === 2 && { transform: `rotate(45 ${near(x)} ${near(y)})` };
    return element("rect", text, { x: x - 4, y: y - 4, width: 8, height: 8, ...look, ...turn, ...asked(number) });
  };
  const apart = (heights, low, high) => {
    const order = heights.map((_, k) => k).sort((a, b) => heights[a] - heights[b]), placed = [...heights];
    for (const k of order) [placed[k], low] = [Math.max(placed[k], low), Math.max(placed[k], low) + LINE];
    for (const k of order.reverse()) [placed[k], high] = [Math.min(placed[k], high), Math.min(placed[k], high) - LINE];
    return placed;
  };

  const Bars = ({ title, labels, series }) => {
    const names = labels.map(labelOf), left = widest(names) + 8, bottom = 30 + 26 * names.length;
    const shares = series.filter(({ numbers }) => numbers.every(({ value }) => value >= 0 && value <= 1));
    const panelOf = (its, longest) => {
      const scale = shares.includes(its) ? shares : [its];
      const [low, high] = ends(scale.flatMap(({ numbers }) => numbers.map(({ value }) => value)).filter(Number.isFinite)), unit = longest / (high - low || 1);
      const room = (is) => Math.max(0, ...its.numbers.filter(({ value }) => value < 0 === is).map(({ text }) => widthOf(text)));
      const before = its.numbers.some(({ value }) => value < 0) ? room(true) + 16 : 0, zero = before - low * unit;
      return { ...its, unit, zero, wide: zero + Math.max(high * unit + room(false) + 16, widthOf(its.name)) };
    };
    const free = PHONE - left + 28 - series.reduce((sum, its) => sum + panelOf(its, 0).wide + 28, 0);
    const longest = Math.min(Math.max(free / series.length, 52), 150);
    return bands(series.map((its) => panelOf(its, longest)), ({ wide }) => wide, PHONE - left, 28).map((row) => {
      const elements = names.map((name, i) => textAt(left - 8, 43 + 26 * i, name, "end"));
      let x = left;
      for (const { name, numbers, unit, zero, wide } of row) {
        if (name) elements.push(textAt(x + zero, 13, name, "aside"));
        numbers.forEach((number, i) => elements.push(...bar(number, x + zero, 43 + 26 * i, unit)));
        elements.push(line([x + zero, 30], [x + zero, bottom], "axis"));
        x += wide + 28;
      }
      return { title, text: seriesInWords(row, labels), size: [x - 28, bottom], elements };
    });
  };
  const bar = (number, zero, y, unit) => {
    const size = Number.isFinite(number.value) ? number.value * unit : 0, below = number.value < 0;
    const drawn = size && element("rect", "", { x: zero + Math.min(size, 0), y: y - 8, width: Math.abs(size), height: 16, class: below ? "bar below" : "bar" });
    return [drawn || "", textAt(zero + size + (below ? -8 : 8), y, number.text, below ? "end" : "", asked(number))];
  };

  // -- ribbons --------------------------------------------------------------------------------------

  const Graph = ({ name, edges, others, targets, least }) => {
    const all = [...edges, ...others], words = [...new Set([...targets, ...edges.map(({ target }) => target)])];
    const attends = ({ weight: { value } }) => value > 0 && value >= least;
    const queries = [...new Set(all.map(({ source }) => source))].map((source) => all.filter((edge) => edge.source === source && attends(edge))
      .sort((a, b) => b.weight.full - a.weight.full || words.indexOf(a.target) - words.indexOf(b.target)).slice(0, 16)).filter((its) => its.length);
    const elements = [], rows = bands(queries.map((its) => queryOf(its, words)), ({ size }) => size[0], PHONE, 40);
    rows.forEach((row, k) => row.reduce((x, its) => (elements.push(shifted(its, x, k * 160)), x + its.size[0] + 40), 0));
    const wide = Math.max(0, ...rows.map((row) => row.reduce((sum, { size }) => sum + size[0] + 40, -40)));
    const sentences = queries.flat().map(({ source, target, weight }) => `${source} to ${target}: ${weight.text}.`);
    return [{ title: name, text: inWords(sentences, sentences.map(() => 1)), size: [wide, rows.length * 160 - 20], elements }];
  };
  const queryOf = (edges, words) => {
    const of = (word) => edges.find(({ target }) => target === word), [{ source }] = edges;
    const shown = words.filter((word) => words.length <= 16 || of(word));
    const pitch = Math.max(14 + widest([...[source, ...shown].map(labelOf), ...edges.map(({ weight }) => weight.text)]), 50);
    const x = (word) => pitch * (shown.indexOf(word) + 0.5), top = shown.includes(source) ? x(source) : pitch * shown.length / 2;
    const elements = [textAt(top, 10, labelOf(source), "middle most inked Q")], kept = shown.map(of).filter(Boolean), { full: most } = edges[0].weight;
    let start = top - 18 * kept.reduce((sum, { weight }) => sum + weight.full, 0);
    for (const { target, weight: { full } } of kept) {
      const [from, to] = [near(start + 18 * full), near(x(target))];
      elements.push(element("path", "", { d: `M${from} 20.0 C${from} 60.0, ${to} 60.0, ${to} 100.0`, class: full === most ? "ribbon most" : "ribbon", "stroke-width": Math.max(36 * full, 1) }));
      start += 36 * full;
    }
    for (const word of shown) {
      elements.push(textAt(x(word), 114, labelOf(word), of(word) ? "middle inked K" : "middle aside"));
      if (of(word)) elements.push(textAt(x(word), 130, of(word).weight.text, "middle", asked(of(word).weight)));
    }
    return { size: [pitch * shown.length, 140], elements };
  };

  // -- planes ---------------------------------------------------------------------------------------

  const AWAY = [12, 18, 26, 38, 52, 70, 90, 120], TURNS = [0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8];
  const away = ([x, y], [toX, toY]) => Math.hypot(toX - x, toY - y);
  const textBox = (text, [x, y]) => ({ left: x - widthOf(text) / 2, right: x + widthOf(text) / 2, top: y - 8.4, bottom: y + 8.4 });
  const inBox = (text, { left, right, top, bottom }, kind) => textAt((left + right) / 2, (top + bottom) / 2, text, kind);
  const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const arrow = (start, end, kind) => {
    const long = away(start, end), [across, down] = [0, 1].map((k) => (end[k] - start[k]) / (long || 1)), head = Math.min(11, long), half = (4.5 * head) / 11;
    const neck = Math.max(0, long - 8.8), [x, y] = [end[0] - across * head, end[1] - down * head];
    const sides = [end, [x - down * half, y + across * half], [x + down * half, y - across * half]];
    return line(start, [start[0] + across * neck, start[1] + down * neck], kind) + element("path", "", { d: `${along(sides)} z`, class: `head ${kind}` });
  };
  const lookOf = (ink, k) => `${ink || `ink${k % 6}`} dash${k % 4}`;

  const Plane = ({ title, groups }) => {
    const isFinite = (end) => end.every(({ value }) => Number.isFinite(value));
    const numbers = groups.flatMap((its) => its.arrows.flatMap(({ start, end }) => [end, start || []].filter(isFinite))).filter((end) => end.length);
    const sides = [0, 1].map((k) => numbers.map((end) => end[k].value)), most = Math.max(...sides.map((its) => ends(its)[1] - ends(its)[0])) || 1;
    const [x, y] = sides.map((its) => axisOf(its, most)), [short, long] = [x.high - x.low, y.high - y.low].sort((a, b) => a - b);
    const unit = Math.min(Math.max(340 / long, 150 / short), 560 / long), at = (a, b) => [(a - x.low) * unit, (y.high - b) * unit];
    const point = (end) => (end ? at(end[0].value, end[1].value) : at(0, 0));
    const drawn = groups.flatMap(({ ink, arrows }, k) => arrows.filter(({ start, end }) => isFinite(end) && (!start || isFinite(start)))
      .map(({ label, start, end }) => ({ label: labelOf(label), start: point(start), end: point(end), kind: lookOf(ink, k) })));
    const [right, bottom] = at(x.high, y.low), ticks = [];
    for (const [n, text] of x.ticks) {
      const box = textBox(text, [at(n, 0)[0], bottom + 19.2]);
      if (!(box.left <= ticks.at(-1)?.[1].right + 12)) ticks.push([text, box]);
    }
    for (const [n, text] of y.ticks) ticks.push([text, textBox(text, [-12 - widthOf(text) / 2, at(0, n)[1]])]);
    const labels = labelsOf(drawn, ticks.map(([, box]) => box));
    const boxes = [{ left: 0, top: 0, right, bottom }, ...[...ticks, ...labels].map(([, box]) => box)];
    const edge = (side, of) => of(...boxes.map((box) => box[side])), [left, top] = [edge("left", Math.min), edge("top", Math.min)];
    const elements = [
      ...x.ticks.map(([n]) => line(at(n, y.low), at(n, y.high), n === 0 ? "axis" : "grid")),
      ...y.ticks.map(([n]) => line(at(x.low, n), at(x.high, n), n === 0 ? "axis" : "grid")),
      ...ticks.map(([text, box]) => inBox(text, box, "middle aside")),
      ...drawn.map(({ start, end, kind }) => (away(start, end) ? arrow(start, end, `vector ${kind}`) : element("circle", "", { cx: end[0], cy: end[1], r: 4, class: `head ${kind}` }))),
      ...labels.flatMap(([{ label, end, kind }, box]) => labelled(label, end, kind.split(" ")[0], box)),
    ];
    const size = [edge("right", Math.max) - left, edge("bottom", Math.max) - top], upper = { size, elements: [shifted({ elements }, -left, -top)] };
    const told = (end) => `(${end.map(({ text }) => text).join(", ")})`;
    const sentences = groups.map(({ name, arrows }) => `${name ? `${name}: ` : ""}${arrows.map(({ label, start, end }) => `${label} ${told(end)}${start ? ` from ${told(start)}` : ""}`).join(", ")}.`);
    return [{ title, text: inWords(sentences, groups.map(({ arrows }) => 2 * arrows.length)), ...above(upper, groups) }];
  };
  // a place for each label near its arrow's head, on no other and if possible on no arrow
  const labelsOf = (drawn, taken) => {
    const boxes = [...taken.map((box) => ({ ...box, left: box.left - 4, right: box.right + 4 })), ...drawn.map(({ end: [x, y] }) => ({ left: x - 5, right: x + 5, top: y - 5, bottom: y + 5 }))];
    const ways = drawn.flatMap(({ start, end }) => Array.from({ length: 25 }, (_, k) => [0, 1].map((i) => start[i] + ((end[i] - start[i]) * k) / 24)));
    const hidden = (box) => ways.filter(([x, y]) => box.left < x && x <= box.right && box.top < y && y < box.bottom).length;
    const found = [];
    for (const its of drawn) {
      const near = found.find(({ kind, end }) => kind === its.kind && away(end, its.end) < 9);
      if (near) near.label += `, ${its.label}`;
      else if (its.label) found.push({ ...its });
    }
    return found.map((its) => {
      const { label, start, end } = its, on = away(start, end) ? Math.atan2(end[1] - start[1], end[0] - start[0]) : -Math.PI / 4;
      const places = AWAY.flatMap((far) => TURNS.map((turn) => on + (turn * Math.PI) / 8).map((angle) =>
        textBox(label, [end[0] + Math.cos(angle) * (far + widthOf(label) / 2), end[1] + Math.sin(angle) * far])));
      let [best, least] = [places.at(-1), Infinity];
      places.forEach((box, k) => {
        const cost = k / 16 >= least || boxes.some((other) => overlap(box, other)) ? Infinity : k / 16 + hidden(box);
        if (cost < least) [best, least] = [box, cost];
      });
      boxes.push(best);
      return [its, best];
    });
  };
  const labelled = (label, end, ink, box) => {
    const edge = [Math.min(Math.max(end[0], box.left), box.right), Math.min(Math.max(end[1], box.top), box.bottom)];
    return [...(away(edge, end) > 15 ? [path([end, edge], `leader ${ink}`)] : []), inBox(label, box, `middle halo inked ${ink}`)];
  };
  // the plane, and below it what the kinds of arrows are
  const above = ({ size, elements }, groups) => {
    const named = groups.map(({ name, ink }, k) => [name, lookOf(ink, k)]).filter(([name]) => name), wide = ([name]) => 58 + widthOf(name);
    if (!named.length) return { size, elements };
    const rows = bands(named, wide, Math.max(size[0], 340, ...named.map(wide)), 0), samples = [], widths = [];
    rows.forEach((row, i) => widths.push(row.reduce((x, its) => {
      samples.push(arrow([x, 24 * i + 12], [x + 28, 24 * i + 12], `vector ${its[1]}`), textAt(x + 34, 24 * i + 12, its[0], ""));
      return x + wide(its);
    }, 0)));
    return { size: [Math.max(size[0], ...widths), size[1] + 12 + 24 * rows.length], elements: [...elements, shifted({ elements: samples }, 0, size[1] + 12)] };
  };

  // -- what stays where it is, and is shaded otherwise -------------------------------------------------

  const HeatMaps = ({ maps, shares, title }, figure) => {
    const shadeOf = (share) => Math.round(Math.min(Math.max(share, 0), 1) * 8), numbers = maps.flatMap(({ rows }) => rows.flatMap((row) => row.numbers));
    const most = Math.max(0, ...numbers.map(({ value }) => Math.abs(value)).filter(Number.isFinite)) || 1;
    const cells = Map.groupBy(figure.querySelectorAll("text[data-n]"), (cell) => Number(cell.dataset.n));
    for (const { numbers } of maps.flatMap(({ rows }) => rows)) {
      const largest = Math.max(...numbers.map(({ value }) => value));
      for (const { n, value } of numbers) {
        const shade = shares ? `${shadeOf(value)}` : Number.isFinite(value) ? `${value < 0 ? "-below" : ""}${shadeOf(Math.abs(value) / most)}` : "";
        for (const cell of cells.get(n) || []) {
          const fresh = cell.classList.contains("fresh") ? " fresh" : "";
          cell.setAttribute("class", `middle${shares && value === largest ? " most" : ""}${shade && ` on${shade}`}${fresh}`);
          const ground = cell.previousElementSibling; // none of a number without end
          if (ground?.matches("rect")) ground.setAttribute("class", shade ? `shade${shade}` : "page");
        }
      }
    }
    const words = maps.map(({ name, keys, rows }) => [name, inWords(rows.map(({ called, numbers }) =>
      `${called ? `${called}: ` : ""}${numbers.map(({ text }, j) => (keys[j] ? `${text} (${keys[j]})` : text)).join(", ")}.`), rows.map(() => keys.length))]);
    return words.map(([, text]) => text);
  };
  const Pixels = ({ patches }, figure) => {
    const numbers = patches.flatMap((patch) => patch.numbers), values = numbers.map(({ value }) => value), low = Math.min(...values), spread = Math.max(...values) - low || 1;
    figure.querySelectorAll("rect[style]").forEach((rect, k) => {
      const share = (values[k] - low) / spread;
      rect.style.fill = `rgb(${Array(3).fill(`${(share * 100).toFixed(1)}%`)})`;
      if (rect.nextElementSibling?.matches("text")) rect.nextElementSibling.style.fill = share > 0.46 ? "black" : "white";
    });
    return [inWords(patches.map((its) => `${its.name}: ${its.numbers.map(({ text }) => text).join(", ")}.`), patches.map((its) => its.numbers.length))];
  };

  // -- all of them ------------------------------------------------------------------------------------

  const DRAWN = { Bars, Curves, Graph, Plane }, SHADED = { HeatMaps, Pixels };
  const known = new WeakMap(); // what the numbers of a figure were when it was drawn
  const svgOf = ({ title, text, size, elements }) => {
    const [wide, high] = size.map((side) => side + 8), inside = elements.join("");
    const more = { width: wide, height: high, viewBox: `-4 -4 ${near(wide)} ${near(high)}`, role: inside.includes(" data-n=") ? "group" : "img" };
    return element("svg", `<title>${escaped(title)}</title><desc>${escaped(text)}</desc>${inside}`, { ...more, style: `min-width: ${((wide * 9) / 14).toFixed(0)}px` });
  };

  // draws a figure by the numbers that are shown now; whether it has other elements then; at first it may be `asWritten`
  window.attncli.draw = (figure, numberOf, asWritten) => {
    const numbers = [], data = JSON.parse(figure.dataset.picture, (key, value) => {
      if (!Number.isInteger(value) || key === "least") return value;
      numbers.push(numberOf(value));
      return numbers.at(-1);
    });
    const now = numbers.map(({ text, full }) => `${text} ${full}`).join();
    if (known.get(figure) === now) return false;
    const isNew = !asWritten || known.has(figure);
    known.set(figure, now);
    figure.hidden = numbers.some(({ value }) => Number.isNaN(value));
    const drawing = figure.hidden || DRAWN[data.kind]?.(data).map(svgOf).join("\n"); // warms it up, if it isn't new
    if (figure.hidden || !isNew) return false;
    if (SHADED[data.kind]) {
      const words = SHADED[data.kind](data, figure);
      figure.querySelectorAll("desc").forEach((told, k) => { told.textContent = words[k]; });
      return false;
    }
    const fresh = new Set([...figure.querySelectorAll(".fresh")].map((shown) => shown.dataset.n));
    figure.querySelector(".scroll").innerHTML = drawing;
    for (const shown of figure.querySelectorAll("[data-n]")) shown.classList.toggle("fresh", fresh.has(shown.dataset.n));
    return true;
  };
})();
