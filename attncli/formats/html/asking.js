// Judges a number that is typed for a number of the page, as practice in the terminal does.
"use strict";
(() => {
  const page = window.attncli;
  /** @typedef {[bigint, bigint, number | null]} Read above and below a line, and the decimals */

  const tens = (/** @type {number} */ k) => 10n ** BigInt(k);
  // how far one number is from another at most half a unit of the last of so many decimals
  const isNear = (/** @type {Read} */ [a, b], /** @type {Read} */ [c, d], /** @type {number} */ places) => {
    const apart = a * d - c * b;
    return 2n * (apart < 0n ? -apart : apart) * tens(places) <= b * d;
  };
  const isWithin = (/** @type {Read} */ [a, b], /** @type {[Read, Read]} */ [[low, l], [high, h]]) => a * l >= low * b && a * h <= high * b;
  const decimalsOf = (/** @type {Read} */ [a, b]) => [...Array(99).keys()].find((k) => (a * tens(k)) % b === 0n) ?? 99;
  const read = (/** @type {string} */ text) => numberOf(text.replace(/[()]/g, ""));

  // a right number that was written down wrongly: its sign, its decimal point, two of its digits
  const slips = function* (/** @type {Read} */ [a, b, places], /** @type {(number: Read) => boolean} */ isRight) {
    if (a === 0n || places === null) return;
    if (isRight([-a, b, places])) yield "The sign is wrong.";
    const moved = [1, 2, 3].flatMap((k) => /** @type {Read[]} */ ([[a * tens(k), b, places], [a, b * tens(k), places + k]]));
    if (moved.some(isRight)) yield "The decimal point was moved.";
    const sign = a < 0n ? -1n : 1n, digits = `${a * sign}`.padStart(places + 1, "0");
    const swapped = [...digits].slice(1).map((digit, k) => digits.slice(0, k) + digit + digits[k] + digits.slice(k + 2));
    if (swapped.some((text) => text !== digits && isRight([sign * BigInt(text), b, places]))) yield "Two neighbouring digits were exchanged.";
  };

  // a term of a sum that was left out, or is of the other sign
  const termSlips = function* (/** @type {number} */ n, /** @type {Read} */ [a, b], /** @type {(number: Read) => boolean} */ isTyped) {
    const sum = page.textOf(n).split(/\s[=≈]\s/).at(-2)?.replace(/^=\s/, "") || "";
    if (!/^−?[\d.]+(\s[+−]\s\(?−?[\d.]+\)?)+$/.test(sum)) return;
    for (const [says, times] of /** @type {[string, bigint][]} */ ([["A term was left out.", 1n], ["A term was added instead of subtracted, or the reverse.", 2n]])) {
      for (const [, sign, digits] of sum.matchAll(/(^|[+−]\s)\(?(−?[\d.]+)\)?/g)) {
        const term = read(digits), by = sign.startsWith("−") ? -times : times;
        if (Array.isArray(term) && isTyped([a * term[1] - by * term[0] * b, b * term[1], null])) yield says;
      }
    }
  };

  /** @type {Attncli.Page["judge"]} */
  page.judge = (n, typed) => {
    const hint = "Hint shows how it is worked.", isNot = `${typed.trim()} is not right.`;
    const number = numberOf(typed), last = page.entry(n).at(-1);
    const shown = read(Array.isArray(last) ? last[0] : String(last).replace(/^.*[=≈] /, ""));
    if (number === null || shown === null) return { right: false, says: typed.trim() ? `“${typed.trim()}” is no number.` : "Nothing was written." };
    if (typeof number === "string" || typeof shown === "string") return number === shown ? { right: true, says: "right." } : { right: false, says: `${isNot} ${hint}` };
    const places = Math.max(page.decimals(), decimalsOf(shown)), [low, high] = (page.accepted?.(n) || []).map((end) => /** @type {Read} */ (read(end)));
    const isRight = (/** @type {Read} */ one) => isNear(one, shown, places) || (low !== undefined && isWithin(one, [low, high]));
    if (isRight(number)) return { right: true, says: "right." };
    const few = number[2];
    if (few !== null && few < places && isNear(number, shown, few)) return { right: false, says: `Nearly. It has ${few} decimal${few === 1 ? "" : "s"} instead of ${places}.` };
    const isTyped = (/** @type {Read} */ wrong) => isNear(number, wrong, Math.min(few ?? places, places));
    const known = page.mistakes?.(n).filter(([, wrong]) => isTyped(/** @type {Read} */ (numberOf(wrong)))).map(([says]) => says) || [];
    // a number with more decimals than are asked for has to agree in all of them
    const isMeant = (/** @type {Read} */ one) => isNear(one, shown, Math.max(places, decimalsOf(one)));
    const [cause = hint] = [...known, ...slips(number, isMeant), ...termSlips(n, shown, isTyped)];
    return { right: false, says: `${isNot} ${cause}` };
  };
})();
