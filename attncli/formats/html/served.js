// Keeps a served page true: what differs in a new version is put in its place, all else stays. It
// runs before any other script has touched the page, to know it as it was sent.
"use strict";
(() => {
  const $ = (selector, inside = document) => inside.querySelector(selector);
  const KEPT = ["main", "nav.contents"];
  let was = document.cloneNode(true);
  let asked = ""; // the number whose panel is open

  // -- putting in what differs -------------------------------------------------------------------

  // sections are told by their headings
  const titleOf = (node) => (node.localName === "section" ? $("h1, h2", node)?.textContent : "");
  const isSame = (one, other) => one.nodeName === other.nodeName && titleOf(one) === titleOf(other);

  // `shown` is what became of `before`, and becomes `now`; others may have added to it
  const renew = (shown, before, now) => {
    if (before.isEqualNode(now)) return;
    if (now.nodeType === Node.TEXT_NODE) {
      shown.data = now.data;
      shown.parentElement?.classList.add("fresh");
      return;
    }
    for (const name of before.getAttributeNames()) if (!now.hasAttribute(name)) shown.removeAttribute(name);
    for (const name of now.getAttributeNames()) {
      const value = now.getAttribute(name);
      if (before.getAttribute(name) === value) continue;
      if (name === "class") {
        for (const old of before.classList) shown.classList.remove(old);
        for (const added of now.classList) shown.classList.add(added);
      } else shown.setAttribute(name, value);
    }
    const [seen, olds, news] = [shown, before, now].map((one) => [...one.childNodes]);
    if (seen.length !== olds.length) shown.replaceChildren(...news.map(fresh));
    else renewChildren(shown, seen, olds, news);
  };

  const fresh = (node) => {
    const made = document.importNode(node, true);
    made.classList?.add("fresh");
    return made;
  };

  // what is the same at the start and at the end stays, between them is what came and went
  const renewChildren = (shown, seen, olds, news) => {
    const least = Math.min(olds.length, news.length);
    let start = 0, end = 0;
    while (start < least && isSame(olds[start], news[start])) start += 1;
    while (end < least - start && isSame(olds.at(-1 - end), news.at(-1 - end))) end += 1;
    for (let k = 0; k < start; k += 1) renew(seen[k], olds[k], news[k]);
    for (let k = 1; k <= end; k += 1) renew(seen.at(-k), olds.at(-k), news.at(-k));
    const next = seen[seen.length - end] ?? null;
    for (const gone of seen.slice(start, seen.length - end)) gone.remove();
    for (const come of news.slice(start, news.length - end)) shown.insertBefore(fresh(come), next);
  };

  let ending = 0; // of the moment for which what was changed is marked
  const unmark = () => document.querySelectorAll(".fresh").forEach((shown) => shown.classList.remove("fresh"));

  const take = (text) => {
    const now = new DOMParser().parseFromString(text, "text/html");
    const versions = [was, now].map((page) => $("#served .state", page).dataset.version);
    if (versions[0] === versions[1]) return;
    unmark();
    clearTimeout(ending);
    ending = setTimeout(unmark, 2000); // milliseconds
    document.dispatchEvent(new Event("attn:renewing"));
    document.title = now.title;
    for (const one of KEPT) renew($(one), $(one, was), $(one, now));
    for (const one of ["#numbers", "#served .state"]) $(one).replaceWith(document.importNode($(one, now), true));
    settle();
    const bar = $("#changes");
    if (bar) bar.hidden = false;
    was = now;
    document.dispatchEvent(new Event("attn:renewed"));
    for (const panel of document.querySelectorAll("#served details[open]")) fill(panel);
  };

  let asking = Promise.resolve(); // one after the other, so that the last one is the newest
  const ask = () => (asking = asking.catch(() => {}).then(load));
  const load = async () => {
    const answer = await fetch("./").catch(() => null);
    if (answer?.ok) take(await answer.text());
    else setTimeout(ask, 1000);
  };

  // -- changing ----------------------------------------------------------------------------------

  const send = async (act, body) => {
    const answer = fetch(act, { method: "POST", body: body && JSON.stringify(body) });
    const { wrong } = await answer.then((its) => its.json()).catch(() => ({ wrong: "the server can't answer now" }));
    if (!wrong) await ask();
    return wrong || "";
  };

  const refuse = (wrong, key = "") => {
    const isAtField = wrong && !document.dispatchEvent(new CustomEvent("attn:refused", { detail: { key, text: wrong }, cancelable: true }));
    $("#served .refused").textContent = isAtField ? "" : wrong;
    settle();
  };
  const settle = () => { // what can be chosen shows what is so
    for (const select of document.querySelectorAll("#changes select")) select.value = $("[selected]", select)?.value ?? select.value;
    for (const field of document.querySelectorAll("#changes input[data-key]")) if (field !== document.activeElement) field.value = field.defaultValue;
  };

  document.addEventListener("attn:change", async ({ detail: { key, value } }) => refuse(await send("change", { key, value }), key));
  document.addEventListener("click", async ({ target }) => {
    const act = target.closest?.("[data-act]")?.dataset.act;
    if (act) refuse(await send(act));
    const number = target.closest?.("main [data-n]");
    if (!number) return;
    asked = window.attncli.entry(Number(number.dataset.n))[0];
    const panel = $('#served [data-panel="why"]');
    if (panel.open) fill(panel);
  });

  // where nobody answers, nothing is offered that he would have to do
  const end = (isSo) => {
    document.body.classList.toggle("ended", isSo);
    const [is, becomes] = isSo ? ["set", "unset"] : ["unset", "set"];
    for (const shown of document.querySelectorAll(`[data-${is}]`)) {
      shown.dataset[becomes] = shown.dataset[is];
      delete shown.dataset[is];
    }
  };

  // -- panels ------------------------------------------------------------------------------------

  const fill = async (panel) => {
    const place = panel.lastElementChild, name = panel.dataset.panel;
    if (name === "why" && !asked) {
      place.textContent = "Click a number in the page.";
      return;
    }
    const answer = await fetch(`panel/${name}?cell=${encodeURIComponent(asked)}`);
    const text = await answer.text();
    if (answer.ok) place.innerHTML = text;
    else place.textContent = answer.status === 409 ? JSON.parse(text).wrong : "The server can't answer now.";
    for (const one of place.querySelectorAll("[id], [data-n], [aria-labelledby]")) for (const its of ["id", "data-n", "aria-labelledby"]) one.removeAttribute(its);
  };
  document.addEventListener("toggle", ({ target }) => target.matches("#served details") && target.open && fill(target), true);

  // -- following ---------------------------------------------------------------------------------

  addEventListener("DOMContentLoaded", () => {
    const bar = $("#changes");
    if (bar) bar.hidden = false;
    // of a page that isn't worked yet nothing stays: it is loaded anew, and its start seen first
    const { version } = $("#served .state").dataset, renewed = version === "0" ? () => location.reload() : ask;
    const follow = async () => {
      const now = await fetch("version").then((answer) => (answer.ok ? answer.text() : ""), () => "");
      end(!now);
      if (now && now !== $("#served .state").dataset.version) await renewed();
      setTimeout(follow, 250); // milliseconds
    };
    follow();
  });
})();
