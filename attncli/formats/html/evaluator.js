// Works a page's quantities again from their equations: each number as it is in full, and as it is shown.
// What is worked with is decimal, to more digits than any page tells, so that a half is a half.
"use strict";
const Evaluator = (() => {
  const D = Decimal.clone({ precision: 60, rounding: 4, toExpNeg: -9e15, toExpPos: 9e15, maxE: 9e15, minE: -9e15 });
  const SURE = 50; // digits; the last ones of 60 stand for what was left out on the way
  const SIGNIFICANT = 15, TINIEST = -7, PI = D.acos(-1);
  const ONE = new D(1), ZERO = new D(0);
  const sure = (x) => (x.isFinite() ? x.toSignificantDigits(SURE) : x);
  const size = (x) => x.e; // the power of ten of the first digit

  // -- numbers as they are shown: a value, and how many decimals are written ------------------------

  const places = (text) => (text.split("e")[0].split(".")[1] || "").length;
  const written = (text) => {
    const plain = text.replace("−", "-");
    return plain === "-∞" ? { value: new D(-Infinity), places: 0 } : { value: new D(plain), places: plain.includes("e") ? Math.max(0, new D(plain).dp()) : places(plain) };
  };

  // what a page shows of a result: so many decimals, at most 15 digits, and never 0 of what isn't 0
  const shown = (x, decimals) => {
    if (x.isZero()) return { value: ZERO, places: decimals };
    if (!x.isFinite()) return { value: x, places: 0 };
    const kept = Math.min(decimals, SIGNIFICANT - 1 - size(x));
    if (kept < 0) return { value: x.toSignificantDigits(SIGNIFICANT), places: 0 };
    const rounded = x.toDecimalPlaces(kept);
    if (!rounded.isZero()) return { value: rounded, places: kept };
    const first = x.toDecimalPlaces(-size(x));
    return { value: first, places: -size(first) };
  };

  const text = ({ value, places: count }) => {
    if (!value.isFinite()) return value.isNegative() ? "−∞" : "∞";
    const plain = value.isZero() ? ZERO : value;
    const long = !plain.isZero() && (size(plain) < TINIEST || size(plain) >= SIGNIFICANT);
    const line = long ? plain.toExponential(Math.max(0, count + size(plain))).replace("e+", "e") : plain.toFixed(count);
    return line.replace("-", "−").replace("e−", "e-");
  };

  // -- functions ----------------------------------------------------------------------------------

  // 2/√π Σ (−1)^n x^(2n+1) / (n! (2n+1)), whose terms grow to e^(x²) before they fall
  const erf = (x) => {
    if (x.abs().gt(12)) return new D(x.isNegative() ? -1 : 1);
    const Wide = D.clone({ precision: 70 + x.times(x).trunc().toNumber() });
    const square = new Wide(x).times(x).negated();
    let [term, total, n] = [new Wide(x), new Wide(x), 0];
    while (!term.isZero() && size(term) > -65) {
      n += 1;
      term = term.times(square).div(n);
      total = total.plus(term.div(2 * n + 1));
    }
    return new D(total.times(2).div(Wide.acos(-1).sqrt()));
  };
  const flag = (is) => (is ? ONE : ZERO);
  const added = (terms) => {
    let [total, most] = [ZERO, -Infinity];
    for (const term of terms) {
      total = total.plus(term);
      most = Math.max(most, term.e ?? -Infinity);
    }
    return total.isFinite() && !total.isZero() && size(total) < most - SURE + 12 ? ZERO : total; // noise
  };
  const FUNCTIONS = {
    "+": (...x) => added(x),
    "*": (...x) => x.reduce((a, b) => (a.isZero() || b.isZero() ? ZERO : a.times(b))),
    "/": (a, b) => {
      if (b.isZero()) throw new RangeError("a divisor is 0");
      return a.div(b);
    },
    "-": (a) => a.negated(),
    "^": (a, b) => (b.isInteger() && b.gte(0) && b.lt(100) ? Array(b.toNumber()).fill(a).reduce((x, y) => x.times(y), ONE) : b.times(logarithm(a)).exp()),
    exp: (a) => a.exp(),
    sqrt: (a) => {
      if (a.isNegative() && !a.isZero()) throw new RangeError("a root is taken of a number below 0");
      return a.sqrt();
    },
    abs: (a) => a.abs(),
    tanh: (a) => (a.abs().gt(80) ? new D(a.isNegative() ? -1 : 1) : a.tanh()),
    sin: (a) => a.sin(),
    cos: (a) => a.cos(),
    ln: (a) => logarithm(a),
    erf: (a) => erf(a),
    erfc: (a) => ONE.minus(erf(a)),
    max: (...x) => D.max(...x),
    min: (...x) => D.min(...x),
    less: (a, b) => flag(a.lt(b)),
    at_most: (a, b) => flag(a.lte(b)),
    finite: (a) => flag(a.isFinite()),
    step: (a) => flag(a.gt(0)),
    and: (...x) => flag(x.every((a) => !a.isZero())),
    count_before: (x, row, before) => new D(row.filter((a) => a.gt(x)).length + before.filter((a) => a.eq(x)).length),
    sum_before: (x, row, before) => added([...row.filter((a) => a.gt(x)), ...before.filter((a) => a.eq(x))]),
    list: (...x) => x,
  };
  const logarithm = (a) => {
    if (a.lte(0)) throw new RangeError("a number is worked as 0, which has no logarithm");
    return a.ln();
  };

  // -- equations ----------------------------------------------------------------------------------
  // A tree is the place of a number, its digits, or a list of a sign and what it stands between.

  // the number that a tree stands for; what is moved keeps its looks, so it is found, not worked
  const compiled = (tree, worth) => {
    if (typeof tree === "number") return () => worth.cell(tree);
    if (typeof tree === "string") {
      const { value } = written(tree);
      return () => value;
    }
    const [sign, ...parts] = tree;
    switch (sign) {
      case "e": return () => D.exp(1);
      case "π": return () => PI;
      case "of": return (at) => worth.operand(parts[0], at[parts[1]], at[parts[2]]);
      case "length": return () => new D(worth.extent(...parts));
      case "rounded": {
        const of = compiled(parts[0], worth);
        return (at) => worth.rounded(of(at), parts[1]);
      }
      case "where": {
        const [condition, met, other] = parts.map((part) => compiled(part, worth));
        return (at) => (condition(at).isZero() ? other : met)(at);
      }
    }
    if (sign.startsWith("sum ")) {
      const term = compiled(parts[0], worth);
      return (at) => added([...worth.places(sign.slice(4), at)].map(term));
    }
    if (sign === "^" && parts[0][0] === "e") return compiled(["exp", parts[1]], worth);
    const made = FUNCTIONS[sign], of = parts.map((part) => compiled(part, worth));
    return (at) => made(...of.map((part) => part(at)));
  };

  const attempted = (work) => {
    try {
      return sure(work());
    } catch (trouble) {
      if (trouble instanceof RangeError) return new D(NaN); // a divisor that is 0
      throw trouble;
    }
  };
  const leavesOf = (tree) => (Array.isArray(tree) && !["of", "length"].includes(tree[0]) ? tree.slice(1).flatMap(leavesOf) : [tree]);
  const literals = (tree) => leavesOf(tree).filter((leaf) => typeof leaf === "string").map((digits) => written(digits).places);
  const whole = (counts, how) => (counts.includes(null) ? null : how(counts));
  const most = (counts) => Math.max(0, ...counts);

  return class {
    // quantities: [{name, rows, columns, numbers} or {…, decimals, tree, operands} or {…, forms}]
    constructor({ policy, decimals, quantities }) {
      Object.assign(this, { policy, decimals });
      this.cells = []; // each number in full
      this.seen = []; // and as it is shown
      this.owner = []; // whose it is
      this.quantities = quantities.map((its) => {
        const own = { ...its, start: this.cells.length, count: its.rows * its.columns };
        for (let k = 0; k < own.count; k += 1) {
          this.cells.push(ZERO);
          this.owner.push(own);
        }
        return own;
      });
      this.written = new Map(); // given numbers as they are written
      for (const its of this.quantities) {
        if (its.numbers) its.numbers.forEach((digits, k) => this.written.set(its.start + k, digits));
        else this.prepare(its);
      }
      this.work();
    }

    cell(n) { return this.asShown ? this.shown(n).value : this.cells[n]; }

    // what something comes to from the digits that are shown
    fromShown(work) {
      this.asShown = true;
      const number = attempted(work);
      this.asShown = false;
      return number;
    }

    // whether what a number is worked from, computed from the digits shown, rounds to it
    relation(n) {
      const its = this.owner[n];
      if (its.numbers || its.moved || this.policy === "carry") return true;
      const { value, places: count } = this.shown(n), from = this.fromShown(() => its.number(n - its.start));
      return from.isFinite() ? from.toDecimalPlaces(count).eq(value) : !value.isFinite() && !from.isNaN();
    }

    // the same of a number that is no cell, by the numbers that it is rounded from
    isRounded(tree) {
      if (tree[0] !== "rounded") return true;
      const { value, places: count } = this.inner(tree), from = this.inner(tree[1]).value;
      return value.eq(from.toDecimalPlaces(count));
    }

    // whether a number is still worked from just this
    isWorked(n, tree) {
      const its = this.owner[n], worked = compiled(tree, this);
      const [told, whole] = [() => worked({}), () => its.number(n - its.start)].map((work) => this.fromShown(work));
      return told.eq(whole) || (told.isFinite() && whole.isFinite() && told.minus(whole).abs().lt("1e-40"));
    }

    // what a line comes to on its way, in full
    inner(tree) {
      if (typeof tree === "number") return this.shown(tree);
      if (typeof tree === "string") return written(tree);
      const [sign, ...parts] = tree;
      if (sign === "rounded") { // a result that is no cell
        const value = attempted(() => compiled(tree, { cell: (n) => this.cells[n], rounded: (...x) => this.rounded(...x) })({}));
        return shown(value, Number(parts[1] ?? this.decimals));
      }
      if (!["+", "-", "*"].includes(sign)) {
        const worth = { cell: (n) => this.cell(n), rounded: (x, own = this.decimals) => shown(x, Number(own)).value };
        const value = this.fromShown(() => compiled(tree, worth)({}));
        return { value, places: value.isFinite() ? value.dp() : 0 };
      }
      const of = parts.map((part) => this.inner(part)), counts = of.map((part) => part.places);
      const value = FUNCTIONS[sign](...of.map((part) => part.value));
      return { value: value.isZero() ? ZERO : value, places: sign === "*" ? counts.reduce((a, b) => a + b) : most(counts) };
    }

    // a number as it would be, were its quantity worked otherwise
    otherwise(n, other) {
      const its = this.owner[n], made = { ...its, tree: undefined, forms: undefined, operands: undefined, ...other };
      this.prepare(made);
      return attempted(() => made.number(n - its.start));
    }

    prepare(its) {
      const operands = (its.operands || []).map((place) => this.quantities[place]);
      const worth = its.worth = {
        cell: (n) => this.cell(n),
        operand: (place, i = 0, j = 0) => this.cell(operands[place].start + i * operands[place].columns + j),
        extent: (place, axis) => (axis ? operands[place].columns : operands[place].rows),
        places: function* (over, at) {
          let cells = [at];
          for (const index of over) {
            const count = worth.extent(...its.axes[index]);
            cells = cells.flatMap((cell) => [...Array(count).keys()].map((k) => ({ ...cell, [index]: k })));
          }
          yield* cells;
        },
      };
      const numberAt = (k) => ({ i: Math.floor(k / its.columns), j: k % its.columns });
      if (its.tree) {
        const worked = compiled(its.tree, worth);
        const lost = its.lost && compiled(its.lost, worth);
        its.number = (k) => {
          if (lost && !lost(numberAt(k)).isZero()) throw new RangeError("what it is divided by rounds to 0; take more decimals");
          return worked(numberAt(k));
        };
      } else {
        const worked = its.forms.map((form) => compiled(form, worth));
        its.number = (k) => worked[k]({});
      }
      if (its.forms?.every((form) => form[0] === "^" && form[1][0] === "e" && typeof form[2] === "number")) this.prepareExponentials(its);
      its.of = operands.length ? operands : [...new Set(its.forms.flatMap(leavesOf).filter((leaf) => typeof leaf === "number").map((n) => this.owner[n]))];
    }

    // Powers of e of a row, or of a column that stands alone: where they, or their sum, would be too long to work
    // with, the largest exponent is subtracted first. The line on the page says how, and is left out where it doesn't.
    prepareExponentials(its) {
      const exponent = (k) => this.cell(its.forms[k][2]), wide = its.columns > 1 ? its.columns : its.count;
      its.number = (k) => {
        const first = k - (k % wide), row = Array.from({ length: wide }, (_, j) => exponent(first + j)), top = D.max(...row);
        return exponent(k).minus(this.isTooLong(its, top, row) ? top : 0).exp();
      };
    }

    isTooLong(its, top, row) {
      const limit = (SIGNIFICANT - (its.decimals ?? this.decimals)) * Math.LN10;
      if (!top.isFinite() || top.lte(limit - Math.log(row.length))) return top.isFinite() && top.lt(-700) && this.policy !== "carry";
      return top.gt(limit) || top.plus(added(row.map((x) => x.minus(top).exp())).ln()).gt(limit);
    }

    // the decimals that hold every true value of a part; null where no number of them need do
    placesOf(tree, its) {
      if (typeof tree === "number") return this.owner[tree].places;
      if (typeof tree === "string") return written(tree).places;
      const [sign, ...parts] = tree, each = () => parts.map((part) => this.placesOf(part, its));
      switch (sign) {
        case "of": return its.of[parts[0]].places;
        case "length": return 0;
        case "-": return this.placesOf(parts[0], its);
        case "+": case "max": case "min": return whole(each(), most);
        case "where": return whole(each().slice(1), most);
        case "*": return whole(each(), (counts) => counts.reduce((a, b) => a + b));
        case "^": return parts[1] === "2" && parts[0][0] !== "e" ? whole([this.placesOf(parts[0], its)], ([count]) => 2 * count) : null;
        case "/": {
          if (leavesOf(parts[1]).some((leaf) => (typeof leaf === "number" && !this.owner[leaf].constant) || leaf[0] === "of")) return null;
          const over = ONE.div(compiled(parts[1], its.worth)({}));
          return over.precision() > SIGNIFICANT ? null : whole([this.placesOf(parts[0], its)], ([count]) => count + over.dp());
        }
      }
      return sign.startsWith("sum ") ? this.placesOf(parts[0], its) : null;
    }

    // Works everything again. Throws RangeError for numbers that can't be gone on with.
    work() {
      for (const its of this.quantities) {
        try {
          if (its.numbers) this.take(its);
          else if (its.moved) this.move(its);
          else this.make(its);
        } catch (trouble) {
          if (!(trouble instanceof RangeError)) throw trouble;
          throw new RangeError(`${its.name}: ${trouble.message}`);
        }
      }
    }

    take(its) {
      const numbers = its.numbers.map((_, k) => written(this.written.get(its.start + k)));
      if (its.constant && !numbers[0].value.gt(0)) throw new RangeError("a setting is above 0");
      numbers.forEach(({ value }, k) => { this.cells[its.start + k] = value; });
      its.places = most(numbers.map((number) => number.places));
      its.shownDecimals = its.places;
      its.isWritten = true;
    }

    move(its) {
      const trees = its.forms || [its.tree];
      for (let k = 0; k < its.count; k += 1) this.cells[its.start + k] = its.number(k);
      its.places = whole([...new Set(trees.map((tree) => this.placesOf(tree, its)))], most);
      its.isWritten = its.of.length > 0 && its.forms?.every((form) => typeof form === "number") && its.of.every((one) => one.isWritten);
      if (its.isWritten) its.forms.forEach((n, k) => this.written.set(its.start + k, this.written.get(n)));
      its.shownDecimals = most([...its.of.map((one) => one.shownDecimals), ...trees.flatMap(literals)]);
    }

    make(its) {
      const decimals = its.decimals ?? this.decimals, trees = its.tree ? [its.tree] : its.forms;
      const known = whole([...new Set(trees.map((tree) => this.placesOf(tree, its)))], most);
      const carries = this.policy === "carry";
      for (let k = 0; k < its.count; k += 1) {
        const number = sure(its.number(k));
        if (number.isNaN() || (!number.isFinite() && !number.isNegative())) throw new RangeError("a result is too large to work with");
        const value = this.rounded(number, decimals);
        if (carries && value.isFinite() && size(value) + decimals >= SIGNIFICANT) throw new RangeError(`a number with ${decimals} decimals has more than ${SIGNIFICANT} digits`);
        this.cells[its.start + k] = value;
      }
      its.places = known === null ? (carries ? decimals : null) : carries ? Math.min(known, decimals) : known;
      its.shownDecimals = decimals;
      its.isWritten = false;
    }

    // a number as it is shown; many are asked for again and again
    shown(n) { return (this.seen[n] ??= this.toShow(n)); }

    toShow(n) {
      const its = this.owner[n], value = this.cells[n];
      if (its.isWritten) return written(this.written.get(n));
      if (!value.isFinite()) return { value, places: 0 };
      if (its.places !== null && its.places <= its.shownDecimals) return { value, places: its.places };
      return shown(value, its.shownDecimals);
    }

    text(n) { return text(this.shown(n)); }

    // a result as the policy goes on with it
    rounded(value, decimals = this.decimals) {
      const number = sure(value);
      return this.policy === "carry" && number.isFinite() ? number.toDecimalPlaces(Number(decimals)) : number;
    }

    static text = text;

    // whether a condition is met by these numbers: what it comes to is known, and isn't 0
    static isMet(condition, cell) {
      const number = attempted(() => compiled(condition, { cell })({}));
      return !number.isNaN() && !number.isZero();
    }
  };
})();
