// Shades what stays where it is on a page whose numbers are changed: heat maps and pixels, as
// `formats/svg` does, and the words that tell them.
"use strict";
(() => {
  const shadeOf = (share) => { // half to even, as `shade_of` in Python
    const exact = Math.min(Math.max(share, 0), 1) * 8, near = Math.round(exact);
    return near - exact === 0.5 && near % 2 ? near - 1 : near;
  };
  const inWords = (sentences, sizes) => {
    let total = 0;
    const kept = sentences.findIndex((_, k) => (total += sizes[k]) > 400 && k);
    return (kept < 0 ? sentences : [...sentences.slice(0, kept), `And ${sentences.length - kept} more.`]).join(" ");
  };

  const HeatMaps = ({ maps, shares, title }, figure) => {
    const numbers = maps.flatMap(({ rows }) => rows.flatMap((row) => row.numbers));
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

  const SHADED = { HeatMaps, Pixels };
  // shades a figure by the numbers that are shown now, each of which `data` names by its place
  const shade = (figure, data) => {
    const words = SHADED[data.kind](data, figure);
    figure.querySelectorAll("desc").forEach((told, k) => { told.textContent = words[k]; });
  };
  Object.assign(window.attncli, { shade, shadeOf });
})();
