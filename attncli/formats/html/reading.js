// Numbers and words as people write them, read as marking/verdicts.py reads them.
"use strict";
const { numberOf, wordsOf } = (() => {
  const signs = /[\u2212\u2010-\u2014\ufe63\uff0d]/g;
  const digitOf = (digit) => // those of a script follow each other from 0 to 9
    [..."0123456789"].find((n) => !/\p{Nd}/u.test(String.fromCodePoint(digit.codePointAt(0) - n - 1)));
  const plainly = (typed) => typed.replace(signs, "-").normalize("NFKC").replace(signs, "-").replace(/\u066b/g, ".")
    .replace(/['’_]/g, "").replace(/\u2044/g, "/").replace(/\p{Nd}/gu, digitOf).trim().toLowerCase().replace(/^=/, "")
    .replace(/\s+/g, " ").replace(/(\d) (?=\d(?!\d\d(?!\d)))/g, "$1|").replace(/ /g, "").replace(/[·*]10\^/g, "×10^");
  const numberOf = (typed) => { // above and below a line, and the decimals, null of a fraction; the text of what has no end; null of no number
    let text = plainly(typed);
    const endless = /^([+-]?)(?:inf|infinity|∞)$/.exec(text);
    if (endless) return `${endless[1].replace("+", "")}∞`;
    const parts = /^([+-]?)(\d{1,60})\/(\d{1,60})(%?)$/.exec(text);
    if (parts) return BigInt(parts[3]) ? [BigInt(`${parts[1]}1`) * BigInt(parts[2]), BigInt(parts[3]) * (parts[4] ? 100n : 1n), null] : null;
    if (/^[+-]?\d{1,3}(?:(?:,\d{3})+\.\d*|(?:\.\d{3})+,\d*)$/.test(text)) text = text.replace(/[.,](?=\d{3}[.,])/g, "");
    const found = /^([+-]?)(\d*)(?:[.,](\d*))?(?:(?:e|×10\^)([+-]?\d{1,4}))?(%?)$/.exec(text);
    const [, sign, whole, behind = "", exponent = "0", percent] = found || ["", "", ""];
    const power = Number(exponent) - behind.length - (percent ? 2 : 0);
    const units = BigInt(whole + behind);
    if (!(whole + behind) || String(units).length - 1 + power > 300) return null;
    return [BigInt(`${sign}1`) * units * 10n ** BigInt(Math.max(power, 0)), 10n ** BigInt(Math.max(-power, 0)), Math.max(-power, 0)];
  };
  const wordsOf = (typed) => {
    const told = typed.normalize("NFKC").trim().toUpperCase().toLowerCase();
    return told.replace(/[\s,;+()[\]{}<>'"“”‘’«»`→·|/]+/g, "") || told;
  };
  return { numberOf, wordsOf };
})();
