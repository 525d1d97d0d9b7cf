// Says of each answer whether it is right: of numbers by their author's own ones before them, of the rest by digests of
// what is, decimal cells (exercises/papers.py).
"use strict";
(() => {
  const { words, parts, seals } = JSON.parse(document.getElementById("seals").textContent);

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
  const known = new Map();
  const isRight = (seal, text) => {
    const asked = `${seal.salt}/${text}`;
    if (!known.has(asked)) known.set(asked, digestIsIn(seal, asked));
    return known.get(asked);
  };
  const digestIsIn = ({ digests }, asked) => {
    let bytes = new TextEncoder().encode(asked);
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
  const answersIn = (field, { levels }) => { // all that it may be told by; null of no number
    const inputs = inputsOf(field);
    if (field.dataset.kind === "choice") return [String(inputs.findIndex((input) => input.checked))];
    if (field.dataset.kind === "words") return [wordsOf(inputs[0].value)];
    const number = numberOf(inputs[0].value);
    return Array.isArray(number) ? levels.flatMap((level) => cellsOf(number, level)) : number && [number];
  };
  const isEmpty = (field) => inputsOf(field).every((input) => !(input.type === "text" ? input.value.trim() : input.checked));
  const numberIn = (field, asked = Infinity) => numberToJudge(inputsOf(field)[0].value, asked);
  const bySeal = (field, seal) => {
    const answers = isEmpty(field) ? [] : answersIn(field, seal);
    if (answers === null) return "unreadable";
    if (answers.some((text) => isRight(seal, text))) return "right";
    const number = field.dataset.kind === "number" && numberIn(field), other = seal.same !== undefined && numberIn(fields[seal.same]);
    if (number && other && number.number === other.number) return "follows";
    if (number && Number.isFinite(number.number) && number.places !== null && isRight(seal, `${number.places}~${numberOf(inputsOf(field)[0].value)[0]}`)) return "few";
    return seal.unlike && !isEmpty(field) ? "unlike" : "wrong";
  };
  const judges = parts.map((part) => part.quantities && judgeOf(part));
  const verdicts = (isTold) => { // of all fields that are told
    const found = fields.map((field, k) => (seals[k].at || !isTold(field) ? null : bySeal(field, seals[k])));
    for (const [part, judge] of judges.entries()) {
      const own = seals.flatMap(({ at }, k) => (at?.[0] === part ? [k] : []));
      const numbers = own.map((k) => numberIn(fields[k], judge.quantities[seals[k].at[1]].decimals) ?? null);
      const answers = own.map((k, n) => ({ q: seals[k].at[1], k: seals[k].at[2], number: NaN, places: 0, ...numbers[n] }));
      const said = own.length ? judge.verdicts(answers) : [];
      for (const [n, k] of own.entries()) found[k] = numbers[n] || isEmpty(fields[k]) ? said[n] : "unreadable";
    }
    return found;
  };
  const count = (part, more = "") => part.querySelectorAll(`.field${more}`).length;
  const tallyOf = (part) => words.tally.replace("{right}", count(part, "[data-state=right]")).replace("{all}", count(part));
  const show = (field, state) => {
    field.dataset.state = state;
    field.querySelector(".said").textContent = state && words[state];
  };
  const tell = (isTold) => { // what is said of some fields, one of which may be all that others follow from
    const said = verdicts(isTold);
    for (const [k, field] of fields.entries()) show(field, isTold(field) ? said[k] : "");
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
      tell((one) => (one === field ? !isEmpty(one) : one.dataset.state));
      status.textContent = isEmpty(field) ? "" : `${words[field.dataset.state]}: ${asked.ariaLabel}`;
    });
    show(field, "");
  }
  tell(() => false);
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
})();
