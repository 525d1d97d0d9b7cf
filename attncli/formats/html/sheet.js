// Says of each answer whether it is right, by digests of what is: decimal cells (exercises/papers.py).
"use strict";
(() => {
  const { words, seals } = JSON.parse(document.getElementById("seals").textContent);

  // -- SHA-256, which not every browser has for a file -------------------------------------------

  const primes = [];
  for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime)) primes.push(n);
  const rootOf = (prime, degree) => { // the first 32 bits of its fraction
    let root = 0n;
    for (let bit = 1n << 36n; bit; bit >>= 1n) if ((root + bit) ** degree <= BigInt(prime) << (32n * degree)) root += bit;
    return Number(BigInt.asIntN(32, root));
  };
  const [begun, constants] = [2n, 3n].map((degree) => primes.map((prime) => rootOf(prime, degree)));
  const turned = (x, n) => (x >>> n) | (x << (32 - n));
  const sha256 = (bytes) => {
    const view = new DataView(new ArrayBuffer((bytes.length + 72) & ~63));
    [...bytes, 0x80].forEach((byte, k) => view.setUint8(k, byte));
    view.setUint32(view.byteLength - 4, bytes.length * 8);
    const [state, w] = [Int32Array.from(begun.slice(0, 8)), new Int32Array(64)];
    for (let at = 0; at < view.byteLength; at += 64) {
      let [a, b, c, d, e, f, g, h, x, y] = [...state, 0, 0];
      for (let k = 0; k < 64; k += 1) {
        if (k > 15) [x, y] = [w[k - 15], w[k - 2]];
        w[k] = k < 16 ? view.getInt32(at + 4 * k) : w[k - 16] + w[k - 7] + (turned(x, 7) ^ turned(x, 18) ^ (x >>> 3)) + (turned(y, 17) ^ turned(y, 19) ^ (y >>> 10));
        x = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + constants[k] + w[k];
        y = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g; g = f; f = e; e = (d + x) | 0; d = c; c = b; b = a; a = (x + y) | 0;
      }
      [a, b, c, d, e, f, g, h].forEach((one, k) => { state[k] += one; });
    }
    state.forEach((one, k) => view.setInt32(4 * k, one));
    return new Uint8Array(view.buffer, 0, 32);
  };
  const isRight = ([salt, , digests], text) => {
    let bytes = new TextEncoder().encode(`${salt}/${text}`);
    for (let k = 0; k < 100; k += 1) bytes = sha256(bytes);
    const letters = [...bytes.slice(0, 5)].flatMap((byte) => [97 + (byte >> 4), 97 + (byte & 15)]);
    return digests.match(/.{10}/g).includes(String.fromCharCode(...letters));
  };
  const cellsOf = ([above, below], level) => {
    const [x, y] = [above * 10n ** BigInt(Math.max(level, 0)), below * 10n ** BigInt(Math.max(-level, 0))];
    return x % y ? [`${level}:${x / y - (x < 0n ? 1n : 0n)}`] : [`${level}:${x / y}`, `${level}=${x / y}`];
  };

  // -- fields: each an input, or several to choose from ------------------------------------------

  const fields = [...document.querySelectorAll(".field")];
  const inputsOf = (field) => [...field.querySelectorAll("input")];
  const answersIn = (field, levels) => { // all that it may be told by; null of no number
    const inputs = inputsOf(field);
    if (field.dataset.kind === "choice") return [String(inputs.findIndex((input) => input.checked))];
    if (field.dataset.kind === "words") return [wordsOf(inputs[0].value)];
    const number = numberOf(inputs[0].value);
    return Array.isArray(number) ? levels.flatMap((level) => cellsOf(number, level)) : number && [number];
  };
  const isEmpty = (field) => inputsOf(field).every((input) => !(input.type === "text" ? input.value.trim() : input.checked));
  const verdict = (field) => {
    const seal = seals[fields.indexOf(field)];
    const answers = isEmpty(field) ? [] : answersIn(field, seal[1]);
    return answers === null ? "unreadable" : answers.some((text) => isRight(seal, text)) ? "right" : "wrong";
  };
  const count = (part, more = "") => part.querySelectorAll(`.field${more}`).length;
  const tallyOf = (part) => words.tally.replace("{right}", count(part, "[data-state=right]")).replace("{all}", count(part));
  const show = (field, state) => {
    field.dataset.state = state;
    field.querySelector(".said").textContent = state && words[state];
    for (const shown of tallies) shown.textContent = tallyOf(shown.closest("section") || document);
  };
  for (const head of document.querySelectorAll("section:has(.field) > h2")) head.insertAdjacentHTML("afterend", '<p class="tally"></p>');
  const tallies = document.querySelectorAll(".tally");
  const [bar, status] = ["#check", "#check [role=status]"].map((one) => document.querySelector(one));
  for (const [k, field] of fields.entries()) {
    field.insertAdjacentHTML("beforeend", `<span class="said" id="v${k}"></span>`);
    const asked = field.firstElementChild; // an input, or what has several
    asked.setAttribute("aria-describedby", `v${k}`);
    if (field.dataset.kind !== "choice") Object.assign(asked, { type: "text", maxLength: 200, autocomplete: "off", spellcheck: false });
    field.addEventListener("change", () => {
      show(field, isEmpty(field) ? "" : verdict(field));
      status.textContent = isEmpty(field) ? "" : `${words[field.dataset.state]}: ${asked.ariaLabel}`;
    });
    show(field, "");
  }
  bar.querySelector(".all").addEventListener("click", () => {
    for (const field of fields) show(field, field.dataset.state || verdict(field));
    status.textContent = tallyOf(document);
  });
  bar.querySelector(".clear").addEventListener("click", () => {
    for (const input of fields.flatMap(inputsOf)) Object.assign(input, { value: "", checked: false });
    for (const field of fields) show(field, "");
    status.textContent = "";
  });
  bar.hidden = false;
})();
