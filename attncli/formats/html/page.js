// Shows where each number comes from. Without it the page is whole, and silent.
"use strict";
(() => {
  let entries;
  // how a number came about; whoever works the page again says it otherwise
  const page = (window.attncli = { entry: (n) => entries[n] || [""] });
  const how = document.getElementById("how");
  const main = document.querySelector("main");
  let sections, numbers, places; // the elements that show a number, by its place in the list
  let path = []; // from the number that was asked about to the one that is shown, by their places
  let anchor = null; // the element that was asked about
  let pinned = false;

  // -- what a number comes from ------------------------------------------------------------------

  const operandsOf = (n) => {
    const found = new Set();
    for (const part of page.entry(n).slice(1)) if (Array.isArray(part)) found.add(part[1]);
    found.delete(n);
    return found;
  };

  const nameOf = (n) => page.entry(n)[0] || textOf(n);

  const textOf = (n) =>
    page.entry(n).slice(1).map((part) => (Array.isArray(part) ? part[0] : part)).join("").trim();

  const element = (name, properties, ...inside) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...inside);
    return made;
  };

  const lineOf = (n) => {
    const line = element("div", { className: "line" });
    const [name, ...parts] = page.entry(n);
    if (name) line.append(element("bdi", { textContent: name }));
    for (const part of parts) {
      if (!Array.isArray(part)) line.append(part);
      else if (part[1] === n) line.append(element("strong", { textContent: part[0] }));
      else line.append(linkTo(part[1], part[0]));
    }
    return line;
  };

  const linkTo = (n, text) => {
    const link = element("button", { type: "button", className: "to", textContent: text });
    link.addEventListener("click", () => walk([...path, n]));
    link.addEventListener("pointerenter", () => light(n, "asked"));
    link.addEventListener("pointerleave", () => lightAll());
    return link;
  };

  const trail = () => {
    const list = element("ol", {});
    path.forEach((n, k) => {
      const crumb = element("button", { type: "button", textContent: nameOf(n) });
      crumb.addEventListener("click", () => walk(path.slice(0, k + 1)));
      if (k === path.length - 1) crumb.setAttribute("aria-current", "true");
      list.append(element("li", {}, crumb));
    });
    return list;
  };

  const origins = (n) => {
    const names = [...operandsOf(n)].map(nameOf);
    const [name, ...parts] = page.entry(n);
    const begins = parts.length === 2 && name;
    const told = names.length ? `from ${names.join("; ")}` : begins ? "the working begins here" : "";
    return element("div", { className: "of", textContent: told });
  };

  // -- the card ----------------------------------------------------------------------------------

  const show = (next, from) => {
    path = next;
    describe(null);
    anchor = from;
    describe("how");
    const n = path[path.length - 1];
    how.replaceChildren(trail(), lineOf(n), origins(n));
    if (pinned) {
      const close = element("button", { type: "button", className: "close", textContent: "×" });
      close.setAttribute("aria-label", "Close");
      close.addEventListener("click", hide);
      how.append(close);
    }
    how.hidden = false;
    lightAll();
    settle();
  };

  const describe = (by) => (by ? anchor?.setAttribute("aria-describedby", by) : anchor?.removeAttribute("aria-describedby"));

  const walk = (next) => {
    pinned = true;
    show(next, anchor);
    const seen = (places.get(next[next.length - 1]) || [])[0];
    if (seen && !seen.closest("section").checkVisibility()) goTo(sections.indexOf(seen.closest("section")));
    (how.querySelector(".line .to") || how.querySelector(".close")).focus({ preventScroll: true });
  };

  const hide = () => {
    const back = how.contains(document.activeElement) ? anchor : null;
    pinned = false;
    path = [];
    how.hidden = true;
    describe(null);
    lightAll();
    if (back) {
      silent = true;
      back.focus({ preventScroll: true });
      silent = false;
    }
  };
  let silent = false;

  const settle = () => {
    if (!anchor) return;
    const { left, top, bottom } = anchor.getBoundingClientRect();
    const { width, height } = how.getBoundingClientRect();
    const below = bottom + 10 + height < innerHeight || top < height + 10;
    how.style.top = `${Math.max(4, Math.min(below ? bottom + 10 : top - height - 10, innerHeight - height - 4))}px`;
    how.style.left = `${Math.max(4, Math.min(left - 24, document.documentElement.clientWidth - width - 4))}px`;
  };

  // -- what it comes from, lit up ----------------------------------------------------------------

  let lit = [];

  const light = (n, kind) => {
    for (const shown of places.get(n) || []) {
      shown.classList.add(kind);
      lit.push([shown, kind]);
    }
  };

  const lightAll = () => {
    for (const [shown, kind] of lit) shown.classList.remove(kind);
    lit = [];
    if (!path.length) return;
    const first = path[path.length - 1];
    const seen = new Set([first]);
    light(first, "asked");
    let level = [first];
    for (let depth = 1; level.length; depth += 1) {
      const next = [];
      for (const n of level) {
        for (const operand of operandsOf(n)) {
          if (seen.has(operand)) continue;
          seen.add(operand);
          next.push(operand);
          light(operand, depth === 1 ? "of1" : "of2");
        }
      }
      level = next;
    }
  };

  // -- pointing, tapping, keys -------------------------------------------------------------------

  const numberAt = (event) => event.target.closest?.("main [data-n]");

  main.addEventListener("pointerover", (event) => {
    const shown = numberAt(event);
    if (shown && !pinned && event.pointerType === "mouse") show([Number(shown.dataset.n)], shown);
  });
  main.addEventListener("pointerout", (event) => {
    if (numberAt(event) && !pinned && event.pointerType === "mouse") hide();
  });
  main.addEventListener("focusin", (event) => {
    const shown = numberAt(event);
    if (shown && !pinned && !silent) show([Number(shown.dataset.n)], shown);
  });
  main.addEventListener("focusout", (event) => {
    if (numberAt(event) && !pinned) hide();
  });
  document.addEventListener("click", (event) => {
    const shown = numberAt(event);
    if (shown) {
      pinned = true;
      makeCurrent(shown);
      show([Number(shown.dataset.n)], shown);
    } else if (pinned && event.target.isConnected && !how.contains(event.target)) hide();
  });
  addEventListener("resize", () => !how.hidden && settle());
  addEventListener("scroll", () => !how.hidden && settle(), { passive: true });

  // one number of each section can be reached by Tab, the others from it by the arrow keys
  const makeCurrent = (shown) => {
    for (const other of shown.closest("section").querySelectorAll('[data-n][tabindex="0"]')) other.tabIndex = -1;
    shown.tabIndex = 0;
  };

  const beside = (shown, key) => {
    const at = numbers.indexOf(shown);
    if (key === "ArrowRight") return numbers[at + 1];
    if (key === "ArrowLeft") return numbers[at - 1];
    const row = shown.closest("tr");
    const next = key === "ArrowDown" ? row?.nextElementSibling : row?.previousElementSibling;
    const column = row ? [...row.querySelectorAll("[data-n]")].indexOf(shown) : -1;
    const there = next ? [...next.querySelectorAll("[data-n]")] : [];
    return there[Math.min(column, there.length - 1)] || numbers[at + (key === "ArrowDown" ? 1 : -1)];
  };

  const onNumber = (event, shown) => {
    if (event.key.startsWith("Arrow")) {
      const next = beside(shown, event.key);
      if (!next) return;
      pinned = false;
      makeCurrent(next);
      next.focus();
      next.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" || event.key === " ") {
      pinned = true;
      anchor = shown;
      walk([Number(shown.dataset.n)]);
    } else return;
    event.preventDefault();
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, textarea")) return;
    if (event.key === "Escape") return hide();
    const shown = numberAt(event);
    if (shown) onNumber(event, shown);
    if (event.key === "n") goTo(now + 1);
    if (event.key === "p") goTo(now - 1);
    if (event.key === "s") stepByStep();
  });

  // -- step by step ------------------------------------------------------------------------------

  let now = 0;
  let contents, links; // one line where there is no room beside the page
  const roomy = matchMedia("(min-width: 60.01rem)");
  const fold = () => { contents.open = roomy.matches; };
  roomy.addEventListener("change", fold);

  const mark = (k) => {
    now = k;
    sections.forEach((section, i) => section.classList.toggle("now", i === k));
    links.forEach((link, i) => (i === k ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
    contents.querySelector("summary b").textContent = ` · ${links[k].textContent}`;
  };

  const goTo = (k) => {
    if (k < 0 || k >= sections.length) return;
    mark(k);
    const heading = sections[k].querySelector("h1, h2");
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    sections[k].scrollIntoView({ block: "start" });
  };

  const stepByStep = () => {
    const on = document.body.classList.toggle("stepping");
    toggle.setAttribute("aria-pressed", String(on));
    goTo(now);
  };

  const toggle = element("button", { type: "button", textContent: "Step by step" });
  toggle.setAttribute("aria-pressed", "false");
  toggle.addEventListener("click", stepByStep);

  const watch = new IntersectionObserver((seen) => {
    const top = seen.find((one) => one.isIntersecting);
    if (top && !document.body.classList.contains("stepping")) mark(sections.indexOf(top.target));
  }, { rootMargin: "-64px 0px -70% 0px" });

  let ending; // of the moment for which what was changed is marked
  const unmark = () => document.querySelectorAll(".fresh").forEach((shown) => shown.classList.remove("fresh"));
  page.remark = () => { unmark(); clearTimeout(ending); ending = setTimeout(unmark, 2000); };

  // -- what is bound to what stands on the page, which others may have put there ---------------------

  const bind = () => {
    entries = JSON.parse(document.getElementById("numbers").textContent);
    sections = [...main.querySelectorAll(":scope > section")];
    numbers = [...main.querySelectorAll("[data-n]")];
    places = Map.groupBy(numbers, (shown) => Number(shown.dataset.n));
    bindNumbers();
    bindTexts();
    bindContents();
    mark(Math.min(now, sections.length - 1));
  };

  const bound = new WeakSet();
  const bindNumbers = () => {
    for (const shown of numbers) {
      if (shown.hasAttribute("role")) continue; // bound before
      shown.tabIndex = -1;
      shown.setAttribute("role", "button");
    }
    for (const drawing of main.querySelectorAll("svg:has([data-n])")) drawing.setAttribute("role", "group");
    for (const frame of main.querySelectorAll(".scroll")) {
      if (bound.has(frame)) continue;
      bound.add(frame);
      if (frame.scrollWidth <= frame.clientWidth) continue;
      frame.tabIndex = 0;
      // the first column stays where it is, and may take too much room
      for (const name of frame.querySelectorAll("tr > :first-child code")) name.innerHTML = name.innerHTML.replace(/[[,._](?=\w)/g, "$&<wbr>");
    }
    for (const section of sections) {
      if (section.querySelector('[data-n][tabindex="0"]')) continue;
      const first = section.querySelector("[data-n]");
      if (first) first.tabIndex = 0;
    }
  };

  // commands and texts to copy; they are selected, at least, where the clipboard isn't allowed
  const bindTexts = () => {
    for (const text of main.querySelectorAll("aside .command, .copied pre")) {
      if (text.nextElementSibling?.localName === "button") continue;
      const button = element("button", { type: "button", textContent: "Copy", ariaLive: "polite" });
      button.addEventListener("click", async () => {
        getSelection().selectAllChildren(text);
        const written = Promise.resolve().then(() => navigator.clipboard.writeText(text.textContent));
        button.textContent = (await written.then(() => true, () => document.execCommand("copy"))) ? "Copied" : "Selected";
      });
      text.after(" ", button);
    }
  };

  const bindContents = () => {
    watch.disconnect();
    sections.forEach((section) => watch.observe(section));
    if (contents === document.querySelector("nav.contents details")) return;
    contents = document.querySelector("nav.contents details");
    links = [...contents.querySelectorAll("a")];
    fold();
    const keys = `Keys: n and p for the next and the previous step, s for one step at a time${numbers.length ? "; arrows from number to number, Enter to ask, Escape to close" : ""}.`;
    contents.append(toggle, element("p", { className: "keys", textContent: keys }));
    links.forEach((link, k) => link.addEventListener("click", () => { mark(k); fold(); }));
  };

  // what is told of a number stays open
  const rebind = () => {
    bind();
    if (how.hidden) return;
    if (!anchor?.isConnected) return hide();
    show([Number(anchor.dataset.n)], anchor);
  };
  document.addEventListener("attn:renewed", rebind);
  bind();
})();
