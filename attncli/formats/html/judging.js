// Judges numbers by their author's own ones before them, as marking/judging.py does: a written number stands for
// whatever rounds to it and can come of what was written before it; a number is right if it can come of these. Where
// one of them is wrong, the key's counts as well, and what comes only of the wrong one follows.
"use strict";
const judgeOf = (() => {
  const SLACK = 0.5556, HALF = 0.5, MORE = 2, DIGITS = 2, FINE = 0.1, IN_FULL = 15; // those of marking
  const unitOf = (places) => 10 ** -places;
  const rounded = (x, places) => { // half away from zero
    if (!Number.isFinite(x)) return x;
    const scale = 10 ** places, units = Math.abs(x) * scale;
    return (Math.sign(x) * Math.floor(units + 0.5 + 1e-9 + units * 1e-13)) / scale;
  };
  const onTheWay = ([low, high], places, fewer) => { // in full, or rounded to so many decimals or to more
    const last = places + MORE + fewer;
    const beyond = (x) => (!Number.isFinite(x) || Math.abs(x - rounded(x, last)) <= 1e-13 * Math.abs(x) ? 0 : HALF * unitOf(last));
    let [least, most] = [low - beyond(low), high + beyond(high)];
    for (let own = places; own <= last; own += 1) [least, most] = [Math.min(least, rounded(low, own)), Math.max(most, rounded(high, own))];
    return [least, most];
  };
  const each = (count, of) => { // both ends of so many numbers
    const made = [new Float64Array(count), new Float64Array(count)];
    for (let k = 0; k < count; k += 1) [made[0][k], made[1][k]] = of(k);
    return made;
  };
  const at = ([low, high], k) => [low[k], high[k]];
  const hasNoEnd = ([low, high]) => low !== high && !Number.isFinite(low + high);
  const hasDigits = (x, places) => Math.abs(x) >= DIGITS * unitOf(places); // to stand for all that rounds to it
  const isWritten = (x) => !Number.isNaN(x);
  const takes = ([low, high], x) => {
    const noise = Number.isFinite(x) ? 1e-12 * Math.max(1, Math.abs(x)) : 0;
    return low - noise <= x && x <= high + noise;
  };

  // Where the working leads from what is known: written numbers, nan where there is none. `stable` is a quantity that is
  // worked with the maximum subtracted, as those cells of others are that are `partly` so; `fewer` is how many decimals
  // fewer than asked one may round to on the way.
  class Paths {
    constructor(judge, { known = [], stable = null, partly = [], fewer = 0, base = null, made = [], used = [] } = {}) {
      Object.assign(this, { judge, known, stable, partly, fewer, base, ownMade: made, ownUsed: used });
    }

    fromHere(more) { return new Paths(this.judge, { known: this.known, stable: this.stable, partly: this.partly, base: this, ...more }); }

    apart() {
      const [known, partly, made, used] = [this.known, this.partly, this.ownMade, this.ownUsed].map((own) => [...own]);
      return new Paths(this.judge, { known, partly, made, used });
    }

    goOnWith(q, held) {
      this.known[q] = held;
      delete this.ownUsed[q];
    }

    makePartly(source, cells) {
      this.partly[source] = cells;
      for (const told of [this.ownMade, this.ownUsed]) for (const q of told.keys()) if (this.judge.comesOf(q, source)) delete told[q];
    }

    home(q) { // the paths that know a quantity already
      if (this.base) return this.fewer || this.judge.comesOf(q, this.stable) ? this : this.base;
      return this.judge.after[q] || this === this.judge.fixed ? this : this.judge.fixed;
    }

    made(q) {
      const home = this.home(q);
      return home === this ? (this.ownMade[q] ??= this.work(q)) : home.made(q);
    }

    used(q) {
      const home = this.home(q);
      return home === this ? (this.ownUsed[q] ??= this.goneOnWith(q)) : home.used(q);
    }

    unwritten(q) { // what would be gone on with if nothing were written
      const its = this.judge.quantities[q], made = this.made(q);
      return its.rounds ? each(made[0].length, (k) => onTheWay(at(made, k), its.decimals - this.fewer, this.fewer)) : made;
    }

    goneOnWith(q) {
      const its = this.judge.quantities[q], known = this.known[q];
      if (known?.[0].every(isWritten)) return known;
      const made = its.shown ? this.asShown(q) : this.unwritten(q);
      return known ? each(made[0].length, (k) => at(isWritten(known[0][k]) ? known : made, k)) : made;
    }

    asShown(q) { // as the sheet prints it, or in full
      const { decimals } = this.judge.quantities[q];
      return this.judge.key(q).reduce((made, x, k) => {
        const told = rounded(x, decimals) || Number(x.toPrecision(1));
        [made[0][k], made[1][k]] = [Math.min(x, told), Math.max(x, told)];
        return made;
      }, each(this.judge.key(q).length, () => [0, 0]));
    }

    work(q) {
      const cells = this.partly[q], made = this.worked(q, this.stable === q);
      if (this.stable === q || !cells) return made;
      const other = this.worked(q, true);
      return each(cells.length, (k) => at(cells[k] ? other : made, k));
    }

    worked(q, stably) {
      const its = this.judge.quantities[q];
      if (its.numbers) return [its.low ?? its.numbers, its.high ?? its.numbers];
      const key = this.judge.key(q), own = its.of.map((one) => this.used(one)), made = this.enclosing(q, own, own, stably);
      if (key.some((_, k) => hasNoEnd(at(made, k)))) { // nobody goes on with what was rounded to 0
        const full = its.of.map((one, place) => {
          const instead = this.known[one] ?? this.made(one);
          return each(instead[0].length, (k) => at(isWritten(instead[0][k]) ? instead : own[place], k));
        });
        const again = this.enclosing(q, full, own, stably);
        key.forEach((_, k) => { if (hasNoEnd(at(made, k))) [made[0][k], made[1][k]] = at(again, k); });
      }
      return each(key.length, (k) => {
        const [low, high] = at(made, k), share = its.printed ?? 1; // of who divides by a root as it is printed
        if ((Number.isNaN(low + high) && Number.isFinite(key[k])) || hasNoEnd([low, high])) return [key[k], key[k]];
        return [Math.min(low, low * share), Math.max(high, high * share)];
      });
    }

    enclosing(q, operands, used, stably) {
      const { judge } = this, its = judge.quantities[q];
      const numbers = used.map((held, place) => judge.chosen(its.of[place], held));
      return judge.workers[q](operands, numbers, stably);
    }
  }

  class Judge {
    constructor({ carry, tolerance, quantities }) {
      for (const its of quantities) for (const name of ["numbers", "low", "high"]) its[name] &&= its[name].map((x) => x ?? -Infinity);
      Object.assign(this, { carry, tolerance, quantities, keys: [], made: [], mistakes: {} });
      this.workers = quantities.map((its) => its.numbers || Enclosures.workerOf(its, its.of.map((one) => quantities[one])));
      this.after = []; // whether it is asked for, is a power, or is worked from what is
      quantities.forEach((its, q) => { this.after[q] = Boolean(its.asked || its.power || its.of?.some((one) => this.after[one])); });
      this.fixed = new Paths(this);
    }

    comesOf(q, source) { // whether a quantity is one of the powers, or is worked from it
      if (source === null) return false;
      this.made[source] ??= this.quantities.reduce((found, its, k) => {
        if (k === source || its.of?.some((one) => found.has(one))) found.add(k);
        return found;
      }, new Set());
      return this.made[source].has(q);
    }

    key(q) { // the key's numbers
      return (this.keys[q] ??= this.workedKey(q));
    }

    workedKey(q) {
      const its = this.quantities[q];
      if (its.numbers) return its.numbers;
      const numbers = its.of.map((one) => this.key(one)), [made] = this.workers[q](numbers.map((own) => [own, own]), numbers, false);
      return this.carry && its.rounds ? made.map((x) => rounded(x, its.decimals)) : made;
    }

    chosen(q, [low, high]) { // numbers between others: the key's, if they are
      const key = this.key(q);
      return key.every((x, k) => low[k] <= x && x <= high[k]) ? key : key.map((_, k) => Enclosures.middle([low[k], high[k]]));
    }

    around([low, high], asked, places) { // what is right where so much is made
      const { units, absolute, relative, digits } = this.tolerance, unit = unitOf(places), twice = (SLACK - HALF) * unit;
      const [least, most] = [rounded(low - (low < 0 ? twice : 0), places), rounded(high + (high > 0 ? twice : 0), places)];
      if (!Number.isFinite(least) || !Number.isFinite(most)) return [least, most];
      const more = HALF * unit + units * unitOf(asked) + absolute;
      const wide = [least - more - relative * Math.abs(least), most + more + relative * Math.abs(most)];
      if (digits === null) return wide;
      const toDigits = (x, way) => {
        const last = Math.floor(Math.log10(x ? Math.abs(x) : 1)) - (digits - 1);
        return rounded(x, -last) + way * HALF * 10 ** last;
      };
      return [Math.min(wide[0], toDigits(low, -1)), Math.max(wide[1], toDigits(high, 1))];
    }

    // of each answer {q, k, number, places}, whose number may be nan, whether it is right, has few decimals, follows, or is wrong
    verdicts(answers) { return new Submission(this, answers).verdicts(); }

    // the same, each with the known mistake that its number comes of, if it is wrong
    told(answers) {
      const submission = new Submission(this, answers), states = submission.verdicts();
      return answers.map(({ q, k }, n) => [states[n], submission.causes[q]?.[k]]);
    }

    // the numbers that a known mistake makes of others
    mistaken(q, { of }, which, paths) {
      const own = of.map((one) => paths.used(one)), numbers = own.map((held, place) => this.chosen(of[place], held));
      const work = (this.mistakes[`${q} ${which}`] ??= Enclosures.workerOf(this.quantities[q].wrong[which][1], of.map((one) => this.quantities[one])));
      return work(own, numbers, false);
    }
  }

  // One author's numbers, from the first to the last: `own` leads from all of them, `mended` from the right ones and the
  // key's in the place of wrong ones. Both are the same until something is wrong.
  class Submission {
    constructor(judge, answers) {
      Object.assign(this, { judge, answers, mended: new Paths(judge), fewDecimals: new Set(), causes: [] });
      this.own = this.mended;
      this.written = judge.quantities.map(() => null);
      for (const answer of answers) this.take(answer);
    }

    take({ q, k, number, places }) {
      const { rows, columns, decimals: asked } = this.judge.quantities[q], count = rows * columns;
      const [written, own, by] = (this.written[q] ??= [new Float64Array(count).fill(NaN), Array(count).fill(asked), Array(count).fill(asked)]);
      written[k] = number;
      if (isWritten(number)) own[k] = places ?? IN_FULL;
      by[k] = own[k] >= IN_FULL ? asked : Math.max(own[k], asked);
    }

    verdicts() {
      const found = this.judge.quantities.map((_, q) => this.written[q] && this.ofQuantity(q));
      return this.answers.map(({ q, k }) => found[q][k]);
    }

    ofQuantity(q) {
      this.takeSoftmax(q);
      const [numbers, own, by] = this.written[q], asked = this.judge.quantities[q].decimals;
      const right = this.taken(this.mended, q, by), states = right.map((is) => (is ? "right" : "wrong"));
      const mark = (flags, state) => flags.forEach((is, k) => { if (is && states[k] === "wrong") states[k] = state; });
      if (this.own !== this.mended) mark(this.taken(this.own, q, by), "follows");
      const open = own.map((places, k) => places < asked && states[k] === "wrong");
      if (open.includes(true)) {
        const fits = this.coarsely(this.mended, q).map((is, k) => is && open[k]), told = this.toldFrom0(q, fits);
        mark(fits.map((is, k) => is && told[k]), "few");
        mark(this.coarsely(this.own, q).map((is, k) => is && open[k] && told[k]), "follows");
      }
      if (states.some((state, k) => state === "wrong" && isWritten(numbers[k]))) this.causes[q] = this.causesOf(q, states, own);
      if (numbers.some(isWritten)) this.goOnFrom(q, states, open.map((is, k) => is && states[k] !== "wrong"));
      return states;
    }

    causesOf(q, states, own) { // of wrong numbers the known mistakes that give them, made on numbers of one's own
      const [numbers] = this.written[q], { wrong = [], decimals } = this.judge.quantities[q], found = [];
      for (const [which, [says, way]] of wrong.entries()) {
        const made = this.judge.mistaken(q, way, which, this.own);
        states.forEach((state, k) => {
          const ends = this.judge.around(at(made, k), decimals, Math.min(own[k], decimals));
          if (state === "wrong" && isWritten(numbers[k]) && ends.every((end) => !Number.isNaN(end)) && takes(ends, numbers[k])) found[k] ??= says;
        });
      }
      return found;
    }

    taken(paths, q, places) {
      const made = paths.made(q), asked = this.judge.quantities[q].decimals;
      return Array.from(this.written[q][0], (x, k) => takes(this.judge.around(at(made, k), asked, places[k]), x));
    }

    coarsely(paths, q) { // which are right but for their few decimals
      const its = this.judge.quantities[q], [, own] = this.written[q], found = this.taken(paths, q, own);
      if (its.numbers || its.of.every((one) => paths.known[one] || this.judge.quantities[one].shown)) return found;
      for (const places of new Set(own.filter((one) => one < its.decimals))) {
        const coarser = this.taken(paths.fromHere({ fewer: its.decimals - places }), q, own);
        coarser.forEach((is, k) => { found[k] ||= is && own[k] === places; });
      }
      return found;
    }

    // Which numbers are told from 0 by so few decimals: those of two units of their last place and more, or that are no
    // other's in their table; and of one unit, where others of so few that fit are, there or before.
    toldFrom0(q, fits) {
      const [numbers, own] = this.written[q], asked = this.judge.quantities[q].decimals, key = this.judge.key(q);
      const alone = (k) => {
        const short = rounded(key[k], own[k]);
        const full = new Set(Array.from(key).filter((x) => rounded(x, own[k]) === short).map((x) => rounded(x, asked)));
        return short !== 0 && full.size === 1;
      };
      const found = own.map((places, k) => hasDigits(numbers[k], places) || (places < asked && alone(k)));
      own.forEach((places, k) => { if (found[k] && fits[k]) this.fewDecimals.add(places); });
      return found.map((is, k) => is || (this.fewDecimals.has(own[k]) && numbers[k] !== 0));
    }

    goOnFrom(q, states, coarse) { // some of which are right, or follow, but for their few decimals
      const [numbers, own] = this.written[q], asked = this.judge.quantities[q].decimals, count = numbers.length;
      const isRight = states.map((state) => ["right", "few"].includes(state));
      if (this.own === this.mended && isRight.some((is, k) => !is && isWritten(numbers[k]))) this.own = this.mended.apart();
      const within = this.mended.unwritten(q);
      const halves = own.map((places, k) => this.half(numbers[k], places, asked, at(within, k), coarse[k]));
      const stands = (k, [low, high]) => { // whatever rounds to it and can come of what was written before
        const x = numbers[k], half = halves[k], ends = [x - half, x + half];
        const held = [Math.min(Math.max(ends[0], low), x), Math.max(Math.min(ends[1], high), x)];
        if (half >= FINE * unitOf(asked) || !Number.isFinite(x)) return held;
        return [Math.min(held[0], rounded(ends[0], asked)), Math.max(held[1], rounded(ends[1], asked))];
      };
      const nothing = [NaN, NaN], key = this.judge.key(q);
      const keys = (k) => {
        const held = at(within, k), half = HALF * unitOf(asked);
        const inner = [Math.max(held[0], key[k] - half), Math.min(held[1], key[k] + half)];
        return inner[0] <= inner[1] ? inner : held;
      };
      if (this.own !== this.mended) {
        const fits = this.fits(this.own, q, coarse), theirs = this.own.unwritten(q);
        const ownOf = (k) => stands(k, fits[k] ? at(theirs, k) : isRight[k] ? at(within, k) : [-Infinity, Infinity]);
        this.own.goOnWith(q, each(count, (k) => (isWritten(numbers[k]) ? ownOf(k) : nothing)));
      }
      this.mended.goOnWith(q, each(count, (k) => (!isWritten(numbers[k]) ? nothing : isRight[k] ? stands(k, at(within, k)) : keys(k))));
    }

    fits(paths, q, few) { // which numbers come of a path, be it but for the few decimals of some
      const [, , by] = this.written[q], found = this.taken(paths, q, by);
      if (few.includes(true)) this.coarsely(paths, q).forEach((is, k) => { found[k] ||= is && few[k]; });
      return found;
    }

    half(x, own, asked, [low, high], isCoarse) { // by how much what a number stands for may differ from it
      const few = own < asked && (isCoarse || hasDigits(x, own)), places = few ? own : Math.max(own, asked);
      const isWhole = low === high && low % 1 === 0 && x % 1 === 0;
      return isWhole || places >= IN_FULL ? 0 : SLACK * unitOf(places);
    }

    // Has the powers of e worked with the maximum subtracted in the rows more than half of whose numbers only that explains.
    takeSoftmax(q) {
      const { quantities } = this.judge, its = quantities[q];
      const source = its.power ? q : its.of?.length === 1 && quantities[its.of[0]].power ? its.of[0] : null;
      if (source === null || (source !== q && this.written[source]?.[0].some(isWritten))) return;
      for (const paths of new Set([this.mended, this.own])) this.takeStable(paths, q, source);
    }

    takeStable(paths, q, source) {
      const other = paths.fromHere({ stable: source }), [numbers, own] = this.written[q];
      const { rows, columns } = this.judge.quantities[source], { decimals } = this.judge.quantities[q];
      const few = own.map((places, k) => places < decimals && hasDigits(numbers[k], places));
      const [plain, shifted] = [paths, other].map((one) => this.fits(one, q, few));
      const { axis } = q === source || this.judge.quantities[q].columns === 1 ? this.judge.quantities[source].power : { axis: 1 };
      const lineOf = (one, k) => (axis ? Math.floor(k / this.judge.quantities[one].columns) : k % this.judge.quantities[one].columns);
      const count = (flags) => flags.reduce((counts, is, k) => {
        counts[lineOf(q, k)] = (counts[lineOf(q, k)] ?? 0) + Number(is);
        return counts;
      }, []);
      const [ofPlain, ofShifted, given] = [plain, shifted, Array.from(numbers, isWritten)].map(count);
      const isSo = ofShifted.map((many, line) => many > ofPlain[line] && 2 * many > given[line]);
      if (!shifted.some((is, k) => is && numbers[k] !== 1 && isSo[lineOf(q, k)])) return; // which the largest power is by it
      paths.makePartly(source, Array.from({ length: rows * columns }, (_, k) => isSo[lineOf(source, k)]));
    }
  }
  return (data) => new Judge(data);
})();

// A number as it is typed, for a judge: in floats, with the decimals that it is written with; zeros behind those asked say
// nothing. Null of what is no number.
const numberToJudge = (typed, asked) => {
  const read = numberOf(typed);
  if (!Array.isArray(read)) return read && { number: Number(read.replace("∞", "Infinity")), places: 0 };
  let [above, below, places] = read;
  const number = Number(above) / Number(below);
  if (places === null) return { number, places };
  for (; places > asked && above % 10n === 0n; above /= 10n) places -= 1;
  return { number, places: places > asked ? Math.min(places, 15) : places };
};
