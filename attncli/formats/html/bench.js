// A workbench: numbers that are given are changed in their cells; where there is room they stand beside the page,
// and its answer with the picture of the weights stays in sight.
"use strict";
(() => {
  const main = document.querySelector("main"), bar = document.getElementById("changes");
  const sight = document.getElementById("sight"), matrices = bar.querySelector(".matrices");
  const made = (name, properties) => Object.assign(document.createElement(name), properties);
  const plain = (text) => text.trim().replace("−", "-").replace(/^\((.*)\)$/, "$1");
  const ask = (key, value, more) => document.dispatchEvent(new CustomEvent("attn:change", { detail: { key, value, more } }));
  const givenAt = ({ target }) => { // the whole cell is its number's
    const place = target.closest?.("main :is([data-set], td)");
    return place?.matches("td") ? place.querySelector(":scope > [data-set]") : place;
  };
  const valueOf = (setting) => (setting.matches("select, [data-text]") ? setting.value.trim() : plain(setting.value).replace(",", "."));
  document.addEventListener("change", ({ target }) => target.dataset.key && (refuse("", target), true) && ask(target.dataset.key, valueOf(target)));

  // where they would take room from the page, settings are there when they are asked for
  const settings = bar.querySelector(".settings");
  const toggle = () => settings.setAttribute("aria-expanded", String(bar.classList.toggle("asked")));
  settings.addEventListener("click", () => { const { keepInSight } = window.attncli; keepInSight ? keepInSight(toggle) : toggle(); });

  // -- a number in its cell: typed, by arrow keys, dragged --------------------------------------------

  let field = null, shown, before, steps; // the one that is open, over which number, what that was, and whether it was stepped
  const why = made("p", { id: "why", hidden: true });
  why.setAttribute("role", "alert");
  document.body.append(why);

  const open = (number, typed) => {
    close();
    if (number.localName === "text") return;
    [shown, before, steps] = [number, plain(number.textContent), false];
    field = made("input", { className: "change", value: typed ?? before, ariaLabel: `${number.dataset.set}, changed to`, autocomplete: "off" });
    const place = number.parentElement;
    place.classList.add("open");
    if (place.localName !== "td") Object.assign(field.style, { left: `${number.offsetLeft}px`, inset: "auto" });
    number.after(field);
    field.focus({ preventScroll: true });
    if (place.localName === "td") (field.oninput = () => fit(place))();
    if (typed === undefined) field.select();
    intoSight(field);
  };

  const intoSight = (one) => { // moves nothing where it is seen
    const { left, top, width, height } = one.getBoundingClientRect();
    if (document.elementFromPoint(left + width / 2, top + height / 2) !== one) one.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  };

  const NARROWEST = 30, BORDERS = 4; // it covers no number beside it until a longer text is typed, and never the row's name
  const fit = (place) => {
    const name = place.parentElement.querySelector(":scope > :has(> [data-set])").previousElementSibling, box = place.getBoundingClientRect();
    const start = name?.getBoundingClientRect().right ?? box.left, end = place.parentElement.lastElementChild.getBoundingClientRect().right;
    const own = field.style.width = `${Math.max(NARROWEST, box.width - 2)}px`;
    const width = Math.max(parseFloat(own), Math.min(field.scrollWidth + BORDERS, end - start - 2)), left = Math.max(start + 1, box.right - 1 - width);
    Object.assign(field.style, { left: `${left - box.left}px`, right: "auto", width: `${width}px` });
  };

  const close = () => {
    if (!field) return;
    const gone = field;
    field = null; // before it goes, for then it is left
    gone.parentElement.classList.remove("open");
    gone.remove();
    refuse("");
  };

  // asks for what is typed; returns whether it was refused, for then the field stays
  const give = (more) => {
    const value = plain(field.value).replace(",", ".");
    refuse("");
    if (value !== plain(shown.textContent)) {
      ask(shown.dataset.set, value, more);
      if (field?.isConnected) intoSight(field); // what stays above may have grown
    }
    return !why.hidden;
  };

  let refusing = null; // the field at which it is told why
  const refuse = (text, at = field) => {
    why.hidden = !text;
    why.textContent = text;
    for (const one of [refusing, at]) {
      one?.toggleAttribute("aria-invalid", false);
      one?.removeAttribute("aria-describedby");
    }
    refusing = text ? at : null;
    refusing?.setAttribute("aria-invalid", "true");
    refusing?.setAttribute("aria-describedby", "why");
    settle();
  };
  const settle = () => { // below the field or above it, inside the window
    if (!refusing) return;
    const { left, top, bottom } = refusing.getBoundingClientRect(), { width, height } = why.getBoundingClientRect();
    why.style.left = `${Math.max(4, Math.min(left, document.documentElement.clientWidth - width - 4))}px`;
    why.style.top = `${bottom + height + 60 < innerHeight ? bottom + 4 : Math.max(4, top - height - 4)}px`;
  };
  document.addEventListener("attn:refused", (event) => {
    const { key, text } = event.detail, on = document.activeElement;
    const at = field && shown.dataset.set === key ? field : [on.dataset.key, on.dataset.set].includes(key) ? on : null;
    if (!at) return;
    refuse(text, at);
    event.preventDefault(); // it is told
  });
  addEventListener("scroll", settle, { capture: true, passive: true });
  addEventListener("resize", settle);

  // the columns begin below what stands above the page, as links of a site, as far as it is in sight
  const begin = () => main.style.setProperty("--above", `${Math.max(0, main.getBoundingClientRect().top)}px`);
  addEventListener("scroll", begin, { passive: true });
  addEventListener("resize", begin);
  begin();

  // one more or less of the last decimal
  const stepped = (value, by) => {
    const text = plain(value), places = (text.split(".")[1] || "").length;
    return Number.isNaN(Number(text)) || /e/i.test(text) ? text : (Number(text) + by / 10 ** places).toFixed(places).replace(/^-(0\.?0*)$/, "$1");
  };
  const STEPS = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

  const beside = (number, by) => {
    const all = [...main.querySelectorAll("td > [data-set]")].filter((one) => one.checkVisibility());
    return all[all.indexOf(number) + by];
  };

  const onField = (event) => {
    const { key } = event, number = shown;
    if (key in STEPS) {
      field.value = stepped(field.value, STEPS[key]);
      give(steps);
      steps = true;
    } else if (key === "Enter") {
      if (give()) return;
      close();
      number.focus({ preventScroll: true });
    } else if (key === "Escape") {
      field.value = before;
      give(steps);
      close();
      number.focus({ preventScroll: true });
    } else if (key === "Tab") {
      if (give()) return event.preventDefault();
      const next = beside(number, event.shiftKey ? -1 : 1);
      close();
      number.focus({ preventScroll: true });
      if (!next) return; // on to what comes behind the numbers
      open(next);
    } else return;
    event.preventDefault();
  };

  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === "z" && !event.target.matches("input, textarea")) {
      const undo = main.querySelector("[data-do=undo]:not([hidden])");
      if (undo) event.preventDefault();
      undo?.click();
    }
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const { target, key } = event;
    if (target === field) onField(event);
    else if (target.matches("input[data-key]")) {
      const steps = key in STEPS && !("text" in target.dataset);
      if (!steps && key !== "Enter") return;
      if (steps) target.value = stepped(target.value, STEPS[key]);
      refuse("", target);
      ask(target.dataset.key, valueOf(target));
      event.preventDefault();
    }
    else {
      const number = givenAt(event), types = /^[-−+.\d]$/.test(event.key);
      if (!number || !(types || event.key === "Enter")) return;
      event.preventDefault();
      open(number, types ? event.key : undefined);
    }
    if (event.key !== "Tab" || field) event.stopPropagation();
  }, true);
  document.addEventListener("focusout", ({ target }) => {
    if (target === field) return document.hasFocus() && !give() && close();
    if (target === refusing) refuse("");
  });

  const FAR = 4, PER_STEP = 6; // pixels: what is no click any more, and what is a step
  let dragged = null;
  document.addEventListener("pointerdown", (event) => {
    const number = givenAt(event);
    if (event.target === field || !number || event.button) return;
    if (event.pointerType === "touch" && document.body.classList.contains("stepping")) return; // a finger goes on
    dragged = { number, x: event.clientX, from: plain(number.textContent), by: 0 };
  });
  document.addEventListener("pointermove", ({ clientX, pointerId }) => {
    if (!dragged) return;
    const { number, x, from } = dragged;
    if (!dragged.moves && Math.abs(clientX - x) < FAR) return;
    if (!dragged.moves) number.setPointerCapture(pointerId);
    const by = Math.round((clientX - x) / PER_STEP), more = dragged.moves;
    dragged.moves = true;
    if (by === dragged.by) return;
    dragged.by = by;
    requestAnimationFrame(() => ask(number.dataset.set, stepped(from, by), more));
  });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(() => { dragged = null; }));
  document.addEventListener("click", (event) => {
    const number = givenAt(event);
    if (event.target === field || (number && dragged?.moves)) event.stopPropagation();
    else if (number) open(number);
  }, true);

  // -- where there is room, what is given stands at the left, what comes of it at the right ------------

  const roomy = matchMedia("(min-width: 1100px)");
  const moved = []; // how each thing goes back to where it was
  const putBack = (from = 0) => moved.splice(from).reverse().forEach((act) => act());

  const take = (element, to, before = null) => {
    if (!element) return;
    const mark = document.createComment("");
    element.replaceWith(mark);
    to.insertBefore(element, before);
    moved.push(() => mark.replaceWith(element));
  };

  const keeping = (act) => { // what has the focus keeps it
    const { activeElement } = document;
    act();
    if (activeElement !== document.activeElement && activeElement.isConnected) activeElement.focus({ preventScroll: true });
  };

  // the parts of a picture below each other, where letters would be too small beside each other
  const READABLE = 0.79, ROOM = 12; // of letters 14 pixels high
  const set = (shape, attributes) => Object.entries(attributes).forEach(([name, value]) => shape.setAttribute(name, value));
  const stack = (drawing) => {
    const parts = [...drawing?.querySelectorAll(":scope > g") || []], share = drawing?.clientWidth / drawing?.viewBox.baseVal.width;
    if (parts.length < 2 || !(share > 0 && share < READABLE)) return;
    const were = [[drawing, ["viewBox", "width", "height"]], ...parts.map((part) => [part, ["transform"]])]
      .map(([one, names]) => [one, Object.fromEntries(names.map((name) => [name, one.getAttribute(name)]))]);
    let wide = 0, high = 0;
    for (const part of parts) {
      const { x, y, width, height } = part.getBBox();
      set(part, { transform: `translate(0 ${high})` });
      [wide, high] = [Math.max(wide, x + width), high + y + height + ROOM];
    }
    const [across, down] = [wide + 8, high - ROOM + 8].map(Math.ceil);
    set(drawing, { viewBox: `-4 -4 ${across} ${down}`, width: READABLE * across, height: READABLE * down });
    moved.push(() => were.forEach(([one, attributes]) => set(one, attributes)));
  };

  const back = () => keeping(() => {
    close();
    putBack();
    for (const clones of [matrices, sight]) clones.replaceChildren();
    document.body.classList.remove("bench");
  });

  const lay = () => {
    back();
    if (bar.hidden || !roomy.matches) return;
    keeping(() => {
      document.body.classList.add("bench");
      const seen = new Set();
      for (const table of main.querySelectorAll("table.quantity:has([data-set])")) {
        const { set } = table.querySelector("[data-set]").dataset, frame = table.parentElement;
        if (seen.has(set) || table.closest(".told")) continue;
        seen.add(set);
        if (table.closest(".product")) matrices.append(frame.cloneNode(true)); // which needs it where it is
        else take(frame, matrices);
      }
      take(document.querySelector("nav.contents"), bar, matrices);
      take(main.querySelector(".answer"), sight);
      const picture = main.querySelector('figure:has([data-shows=shade][data-scale$=" 1"])') || main.querySelector("figure:has([data-shows=stroke-width])"); // shares of 1
      const count = moved.length;
      if (picture?.previousElementSibling?.matches("h3")) take(picture.previousElementSibling, sight);
      take(picture, sight);
      stack(picture?.querySelector("svg"));
      const isSmall = ({ clientWidth, viewBox }) => clientWidth > 0 && clientWidth < READABLE * viewBox.baseVal.width - 1;
      if ([...picture?.querySelectorAll("svg") || []].some(isSmall)) putBack(count); // there is room in the page
      const weights = main.querySelector("section table.quantity:has(td[class*=shade])");
      if (weights) sight.append(weights.parentElement.cloneNode(true));
      take(bar.querySelector(".done"), sight);
    });
  };

  document.addEventListener("attn:renewing", back);
  document.addEventListener("attn:renewed", lay, true); // before others are bound to what stands where
  document.addEventListener("attn:renewed", () => {
    for (const group of main.querySelectorAll("section, .matrices table")) {
      const first = group.querySelector("[data-n]");
      if (first && !group.querySelector('[data-n][tabindex="0"]')) first.tabIndex = 0;
    }
  });
  const reach = () => { // what is wide, by keys
    const wide = [...main.querySelectorAll(".scroll, .beside, .product, #sight > *")].filter((one) => one.scrollWidth > one.clientWidth);
    wide.forEach((one) => { one.tabIndex = 0; });
  };
  document.addEventListener("attn:renewed", reach);
  document.addEventListener("attn:worked", () => requestIdleCallback(reach)); // once it is drawn
  const renewed = () => document.dispatchEvent(new Event("attn:renewed"));
  roomy.addEventListener("change", renewed);
  addEventListener("beforeprint", back);
  addEventListener("afterprint", lay);
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", renewed);
})();
