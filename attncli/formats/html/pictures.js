// Sets the shapes of a picture when their numbers are other ones: each says which number it shows (`data-cell`),
// how (`data-shows`), and by what scale (`data-scale`).
"use strict";
(() => {
  const shadeOf = (share, shades) => { // half to even, as `shade_of` in Python
    const exact = Math.min(Math.max(share, 0), 1) * (shades - 1), near = Math.round(exact);
    return near - exact === 0.5 && near % 2 ? near - 1 : near;
  };
  const set = (shape, attributes) => Object.entries(attributes).forEach(([name, value]) => shape.setAttribute(name, value));
  const tenths = (size) => Number(size.toFixed(1)); // as fine as pictures are drawn
  const finite = (shapes) => shapes.filter(({ value }) => Number.isFinite(value));
  const groups = (shapes, by) => Map.groupBy(shapes, by).values();
  const within = ({ shape }) => shape.parentNode;

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
    "stroke-width": (shapes) => { // beside each other from where their query's begin
      for (const query of groups(shapes, within)) {
        const [top, one, thin, least] = query[0].scale, heaviest = Math.max(...query.map(({ full }) => full));
        let x = top - (one * query.reduce((sum, { full }) => sum + full, 0)) / 2;
        for (const { shape, value, full } of query) {
          if (value <= 0 || value < least) return false;
          const wide = one * full, way = shape.getAttribute("d").replace(/(?<=[MC])\S+/g, (x + wide / 2).toFixed(1));
          set(shape, { d: way, class: full === heaviest ? "ribbon most" : "ribbon", "stroke-width": tenths(Math.max(wide, thin)) });
          x += wide;
        }
      }
    },
  };

  // sets a picture by what `numberOf` says of a place; returns whether it can show that
  const setPicture = (figure, numberOf) => {
    const shapes = [...figure.querySelectorAll("[data-shows]")].map((shape) => {
      const { cell } = shape.dataset, after = shape.nextElementSibling;
      const [rooms, scale] = [shape.dataset.room, shape.dataset.scale].map((numbers) => numbers.split(" ").map(Number));
      const text = after?.dataset.n === cell ? after : shape.parentNode.querySelector(`text[data-n="${cell}"]`);
      return { shape, text, rooms, scale, ...numberOf(cell) };
    });
    if (shapes.some(({ text, rooms, value }) => Number.isNaN(value) || text?.textContent.length > (rooms[value < 0 ? 1 : 0] ?? rooms[0]))) return false;
    return [...Map.groupBy(shapes, ({ shape }) => shape.dataset.shows)].every(([how, its]) => SHOW[how](its) !== false);
  };
  Object.assign(window.attncli, { setPicture, shadeOf });
})();
