// Says of each answer whether it is right: of numbers by their author's own ones before them, of the rest by what is
// accepted, which the packing keeps from the eye.
"use strict";
(async () => {
  const { words, parts, answers: keys } = await unpacked(document.getElementById("checking").textContent); // keys: one a field

  // -- fields: each an input, or several to choose from ------------------------------------------

  const fields = [...document.querySelectorAll(".field")];
  const inputsOf = (field) => [...field.querySelectorAll("input")];
  const isEmpty = (field) => inputsOf(field).every((input) => !(input.type === "text" ? input.value.trim() : input.checked));
  const numberIn = (field, asked = Infinity) => numberToJudge(inputsOf(field)[0].value, asked);
  const exactly = (text) => { // above and below a line
    const [whole, behind = ""] = text.split(".");
    return [BigInt(whole + behind), 10n ** BigInt(behind.length)];
  };
  const isAtMost = ([above, below], [top, bottom]) => above * bottom <= top * below;
  const isWithin = (number, [low, high]) => isAtMost(exactly(low), number) && isAtMost(number, exactly(high));
  const byKey = (field, { texts = [], ends, few = [], unlike }) => {
    if (isEmpty(field)) return "wrong";
    const inputs = inputsOf(field), told = inputs[0].value;
    if (field.dataset.kind === "choice") return texts.includes(String(inputs.findIndex((input) => input.checked))) ? "right" : "wrong";
    if (field.dataset.kind === "words") return texts.some((text) => wordsOf(text) === wordsOf(told)) ? "right" : "wrong";
    const number = numberOf(told);
    if (number === null) return "unreadable";
    if (Array.isArray(number) ? ends && isWithin(number, ends) : texts.includes(number)) return "right";
    if (number[2] !== null && few.some((text) => exactly(text).every((part, k) => part === number[k]))) return "few";
    return unlike ? "unlike" : "wrong";
  };
  const judges = parts.map((part) => part.quantities && judgeOf(part));
  const verdicts = (isTold) => { // of all fields that are told
    const found = fields.map((field, k) => [keys[k].at || !isTold(field) ? null : byKey(field, keys[k])]);
    for (const [part, judge] of judges.entries()) {
      const own = keys.flatMap(({ at }, k) => (at?.[0] === part ? [k] : []));
      const numbers = own.map((k) => numberIn(fields[k], judge.quantities[keys[k].at[1]].decimals) ?? null);
      const answers = own.map((k, n) => ({ q: keys[k].at[1], k: keys[k].at[2], number: NaN, places: 0, ...numbers[n] }));
      const said = own.length ? judge.told(answers) : [];
      for (const [n, k] of own.entries()) found[k] = numbers[n] || isEmpty(fields[k]) ? said[n] : ["unreadable"];
    }
    return found;
  };
  const count = (part, more = "") => part.querySelectorAll(`.field${more}`).length;
  const tallyOf = (part) => words.tally.replace("{right}", count(part, "[data-state=right]")).replace("{all}", count(part));
  const decimalsOf = ({ at, few = [] }) => (at ? judges[at[0]].quantities[at[1]].decimals : few.length);
  const show = (field, state, cause) => {
    field.dataset.state = state;
    const told = state && words[state].replace("{decimals}", decimalsOf(keys[fields.indexOf(field)]));
    field.querySelector(".said").textContent = cause ? `${told}: ${cause}` : told;
  };
  const tell = (isTold) => { // what is said of some fields, one of which may be all that others follow from
    const said = verdicts(isTold);
    for (const [k, field] of fields.entries()) show(field, ...(isTold(field) ? said[k] : [""]));
    for (const shown of tallies) shown.textContent = tallyOf(shown.closest("section") || document);
  };
  for (const head of document.querySelectorAll("section:has(.field) > h2")) head.insertAdjacentHTML("afterend", '<p class="tally"></p>');
  const tallies = document.querySelectorAll(".tally");
  const [bar, status] = ["#check", "#check [role=status]:not(.help)"].map((one) => document.querySelector(one));
  for (const [k, field] of fields.entries()) {
    field.insertAdjacentHTML("beforeend", `<span class="said" id="v${k}"></span>`);
    const asked = field.firstElementChild; // an input, or what has several
    asked.setAttribute("aria-describedby", `v${k}`);
    if (field.dataset.kind !== "choice") Object.assign(asked, { type: "text", maxLength: 200, autocomplete: "off", spellcheck: false });
    field.addEventListener("change", () => {
      tell((one) => (one === field ? !isEmpty(one) : one.dataset.state));
      status.textContent = isEmpty(field) ? "" : `${field.querySelector(".said").textContent} (${asked.ariaLabel})`;
    });
    show(field, "");
  }
  tell(() => false);
  // how the number is worked that one is at: first by names, then with one's own numbers where there are such
  const hint = bar.querySelector(".hint"), help = bar.querySelector(".help");
  let at, far;
  const numberAt = ([part, q], cell) => {
    const judge = judges[part], { decimals, numbers } = judge.quantities[q];
    const own = keys.findIndex(({ at: place }) => place && place[0] === part && place[1] === q && place[2] === cell);
    const typed = own < 0 ? undefined : numberIn(fields[own]);
    if (typed) return inputsOf(fields[own])[0].value.trim();
    return own < 0 || numbers ? String(Number(judge.key(q)[cell].toFixed(decimals))).replace("-", "−") : "▢";
  };
  const tellHow = () => {
    const { at: [part], how: [byNames, ...parts] } = keys[fields.indexOf(at)];
    const put = parts.map((one) => (typeof one === "string" ? one : numberAt([part, one[0]], one[1]))).join("");
    help.textContent = `${inputsOf(at)[0].ariaLabel} = ${far ? put : byNames}`;
  };
  document.addEventListener("focusin", ({ target }) => {
    const field = target.closest(".field"), { how } = keys[fields.indexOf(field)] || {};
    if (!field || field === at) return;
    [at, far, help.textContent] = [field, false, ""];
    hint.disabled = !how;
  });
  hint.addEventListener("click", () => {
    if (help.textContent) far = true;
    tellHow();
  });
  bar.querySelector(".all").addEventListener("click", () => {
    tell(() => true);
    status.textContent = tallyOf(document);
  });
  bar.querySelector(".clear").addEventListener("click", () => {
    for (const input of fields.flatMap(inputsOf)) Object.assign(input, { value: "", checked: false });
    tell(() => false);
    status.textContent = "";
  });
  bar.hidden = false;
  document.dispatchEvent(new Event("attn:checking"));
})();
