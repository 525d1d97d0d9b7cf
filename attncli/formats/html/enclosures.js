// Between which numbers the cells of a quantity lie, where those that they are worked from are known:
// interval arithmetic, as equations/enclosures.py and operations/intervals.py do it.
"use strict";
const Enclosures = (() => {
  const ends = (f) => (...x) => [f(...x.map(([low]) => low)), f(...x.map(([, high]) => high))]; // of what never falls
  const point = (x) => [x, x];
  const middle = ([low, high]) => (low === high ? low : (low + high) / 2);
  const times = ([a, b], [c, d]) => {
    const made = [a * c, a * d, b * c, b * d].map((x) => (Number.isNaN(x) ? 0 : x)); // nothing times anything
    return [Math.min(...made), Math.max(...made)];
  };
  const has0 = ([low, high]) => low <= 0 && high >= 0;
  const square = (x) => {
    const [a, b] = x.map((end) => end * end);
    return [has0(x) ? 0 : Math.min(a, b), Math.max(a, b)];
  };
  const erf = (x) => { // 2/√π e^−x² Σ 2ⁿ x^(2n+1) / (2n+1)!!, whose terms have one sign
    if (Math.abs(x) > 6) return Math.sign(x);
    let [term, total] = [x, x];
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(total); n += 1) total += term *= (2 * x * x) / (2 * n + 1);
    return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * total;
  };
  const wave = (f, top) => ([low, high]) => { // which is 1 at its top, and at each whole turn from it
    const turns = (at) => Math.floor((high - at) / (2 * Math.PI)) >= Math.ceil((low - at) / (2 * Math.PI));
    const own = [f(low), f(high)];
    return [turns(top + Math.PI) ? -1 : Math.min(...own), turns(top) ? 1 : Math.max(...own)];
  };
  const FUNCTIONS = {
    "+": ends((...x) => x.reduce((a, b) => a + b)),
    "*": (...x) => x.reduce(times),
    "/": (a, b) => (b[0] === 0 && b[1] === 0 ? point(NaN) : times(a, has0(b) ? [-Infinity, Infinity] : [1 / b[1], 1 / b[0]])),
    "-": ([low, high]) => [-high, -low],
    sqrt: ends((x) => Math.sqrt(Math.max(x, 0))),
    abs: (x) => square(x).map(Math.sqrt),
    tanh: ends(Math.tanh),
    ln: ends(Math.log),
    max: ends(Math.max),
    min: ends(Math.min),
    sin: wave(Math.sin, Math.PI / 2),
    cos: wave(Math.cos, 0),
    erf: ends(erf),
    erfc: ([low, high]) => [1 - erf(high), 1 - erf(low)],
    step: ends((x) => Number(x > 0)),
    finite: ends((x) => Number(Number.isFinite(x))),
    less: (a, b) => [Number(a[1] < b[0]), Number(a[0] < b[1])],
    at_most: (a, b) => [Number(a[1] <= b[0]), Number(a[0] <= b[1])],
    and: ends((...x) => Number(x.every(Boolean))),
    where: ([low, high], met, other) => (low !== high ? [Math.min(met[0], other[0]), Math.max(met[1], other[1])] : low ? met : other),
    list: (...x) => x,
    count_before: (x, row, before) => point(row.filter((a) => middle(a) > middle(x)).length + before.filter((a) => middle(a) === middle(x)).length),
  };

  // the sum of products, by their middles and radii where all is finite
  const sumOfProducts = (pairs) => {
    let [mid, radius] = [0, 0];
    for (const [a, b] of pairs) {
      const [x, y] = [middle(a), middle(b)], [dx, dy] = [a, b].map(([low, high]) => (low === high ? 0 : (high - low) / 2));
      mid += x * y;
      radius += Math.abs(x) * dy + dx * (Math.abs(y) + dy);
    }
    return Number.isFinite(mid + radius) ? [mid - radius, mid + radius] : FUNCTIONS["+"](...pairs.map((pair) => times(...pair)));
  };

  // what works a tree: the place of a number among all operands', its digits, or a sign with what it stands between
  const compiled = (tree, worth) => {
    if (typeof tree === "number") return () => worth.cell(tree);
    if (typeof tree === "string") {
      const known = point(Number(tree.replace("−", "-").replace("∞", "Infinity")));
      return () => known;
    }
    const [sign, ...parts] = tree;
    const each = (some) => some.map((part) => compiled(part, worth));
    if (sign === "e") return () => point(Math.E);
    if (sign === "π") return () => point(Math.PI);
    if (sign === "of") return (at) => worth.operand(parts[0], at[parts[1]], at[parts[2]]);
    if (sign === "length") return () => point(worth.extent(...parts));
    if (sign === "^") {
      const [base, exponent] = each(parts);
      if (parts[0][0] === "e") return (at) => exponent(at).map(Math.exp);
      if (parts[1] === "2") return (at) => square(base(at));
      return (at) => {
        const own = base(at).map((x) => x ** exponent(at)[0]); // an odd power, or of numbers above 0
        return [Math.min(...own), Math.max(...own)];
      };
    }
    if (sign.startsWith("sum ")) {
      const isProduct = parts[0][0] === "*" && parts[0].length === 3;
      const terms = each(isProduct ? parts[0].slice(1) : parts);
      const over = (letters, at) => {
        if (!letters) return [terms.map((term) => term(at))];
        return Array.from({ length: worth.along(letters[0]) }, (_, k) => over(letters.slice(1), { ...at, [letters[0]]: k })).flat();
      };
      return (at) => {
        const made = over(sign.slice(4), at);
        return isProduct ? sumOfProducts(made) : FUNCTIONS["+"](...made.flat());
      };
    }
    const made = FUNCTIONS[sign], of = each(parts);
    return (at) => made(...of.map((part) => part(at)));
  };

  // e^x, or e^(x − the maximum of its row or column) where that is needed, or always
  const powers = ({ rows, columns, power: { decimals, carry, axis } }, [low, high], numbers, always) => {
    const made = [low.map(Math.exp), high.map(Math.exp)], limit = (15 - decimals) * Math.LN10;
    for (let line = 0; line < (axis ? rows : columns); line += 1) {
      const cells = Array.from({ length: axis ? columns : rows }, (_, k) => (axis ? line * columns + k : k * columns + line));
      const own = cells.map((k) => numbers[k]), top = Math.max(...own), at = cells[own.indexOf(top)];
      const sum = () => top + Math.log(own.reduce((total, x) => total + Math.exp(x - top), 0));
      const need = top > limit || (top < -700 && top > -Infinity && !carry) || (top > limit - Math.log(own.length) && sum() > limit);
      if (!(always ? top > -Infinity : need)) continue;
      for (const k of cells) [made[0][k], made[1][k]] = k === at ? [1, 1] : [Math.exp(low[k] - high[at]), Math.exp(high[k] - low[at])];
    }
    return made;
  };

  // Works a quantity by its own formula: of its operands, each by its ends, and some of the numbers between these, by
  // which is decided what is chosen.
  const workerOf = (its, sources) => {
    let operands = [];
    const at = (k) => {
      let place = 0;
      while (k >= operands[place][0].length) k -= operands[place++][0].length;
      return [operands[place][0][k], operands[place][1][k]];
    };
    const worth = {
      cell: at,
      operand: (place, i = 0, j = 0) => operands[place].map((end) => end[i * sources[place].columns + j]),
      extent: (place, axis) => (axis ? sources[place].columns : sources[place].rows),
      along: (letter) => worth.extent(...its.axes[letter]),
    };
    const filled = (work) => {
      const made = [new Float64Array(its.rows * its.columns), new Float64Array(its.rows * its.columns)];
      for (let k = 0; k < made[0].length; k += 1) [made[0][k], made[1][k]] = work(k);
      return made;
    };
    const tree = its.tree && compiled(its.tree, worth), forms = its.forms?.map((form) => compiled(form, worth));
    return (own, numbers, always) => {
      if (its.power) return powers(its, own[0], numbers[0], always);
      operands = its.decided ? numbers.map((some) => [some, some]) : own;
      if (its.moved) return filled((k) => at(its.moved[k]));
      return filled(tree ? (k) => tree({ i: Math.floor(k / its.columns), j: k % its.columns }) : (k) => forms[k]({}));
    };
  };
  return { workerOf, middle };
})();
