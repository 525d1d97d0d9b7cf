"""Mistakes: in each, one operation of the oracle is done otherwise, or one thing that the scenario says
is taken for another. They are called as marking calls them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

import numpy as np

from tests.classroom.planted.sheet import PLACES, At, Instead, Mistake
from tests.oracle.book import Record
from tests.oracle.numerals import Numbers, apply, each, round_half_away, where

GATES = {
    "lstm": ("update", "forget", "candidate", "output"),
    "gru": ("reset", "update", "candidate"),
}
LETTERS = {"update": "u", "forget": "f", "candidate": "c", "output": "o", "reset": "r"}


def worked(**instead: Instead) -> Mistake:
    """Quantities that are made of others."""
    return Mistake(instead)


def said(changed: Callable[[Record], Record]) -> Mistake:
    """What is taken for what the scenario says."""
    return Mistake(said=changed)


# -- what is read wrongly -------------------------------------------------------------------------


def _turned(key: str) -> Mistake:
    return said(lambda data: {key: [list(column) for column in zip(*data[key], strict=True)]})


def _left_out(key: str) -> Mistake:
    return said(lambda _: {key: None})


def _queries_and_keys(data: Record) -> Record:
    pairs = (("W_Q", "W_K"), ("b_Q", "b_K"))
    return {a: data.get(b) for pair in pairs for a, b in (pair, pair[::-1])}


def _keys_for_values(data: Record) -> Record:
    layers = data.get("layers")
    own = {"W_V": data["W_K"]} if "W_K" in data else {}
    return (
        {**own, "layers": [{**layer, "W_V": layer["W_K"]} for layer in layers]} if layers else own
    )


def _of_norms(key: str) -> Mistake:
    def without(record: Record) -> Record:
        return {name: value for name, value in record.items() if name != key}

    return said(lambda data: {norm: without(data[norm]) for norm in ("norm1", "norm2")})


def _norms(**setting: str) -> Mistake:
    return said(lambda data: {"norms": {**data["norms"], **setting}})


def _without_biases(data: Record) -> Record:
    """But for the candidate of a GRU."""
    kept = "b_c" if data["cell"] == "gru" else ""
    return {key: None for key in data if key.startswith("b_") and key != kept}


def _other_update(data: Record) -> Record:
    return {"update": "new" if "weights_layout" in data else "old"}


def _another_order(data: Record) -> Record:
    """Another one for each scenario."""
    order, rng = [*GATES[data["cell"]]], Random(str(data))
    while order == [*GATES[data["cell"]]]:
        rng.shuffle(order)
    return {"gate_order": order}


# -- positions ------------------------------------------------------------------------------------

Exponents = Callable[[Any], Any]


def _angles(at: At, first: int, exponents: Any, base: float, power: int) -> Any:
    return (np.arange(len(at.right)) + first)[:, None] * base ** (power * exponents)


def _sines(
    exponents: Exponents = lambda j: j // 2 * 2,
    first: int = 0,
    base: float = 10000.0,
    power: int = -1,
    even: int = 0,
) -> Instead:
    """The table of sines and cosines; sines stand in even columns, or in odd ones."""

    def made(at: At) -> Numbers:
        d = at.right.shape[1]
        j = np.arange(d)
        angles = _angles(at, first, exponents(j) / d, base, power)
        return at.numbers(np.where(j % 2 == even, np.sin(angles), np.cos(angles)))

    return made


def _other_waves(base: float = 10000.0, power: int = -1) -> Mistake:
    """In the table that is added, and in those of a rotation."""

    def table(wave: Any) -> Instead:
        def made(at: At) -> Numbers:
            k = at.right.shape[1]
            return at.numbers(wave(_angles(at, 0, np.arange(k) / k, base, power)))

        return made

    waves = {"cosine": np.cos, "sine": np.sin}
    rotation = {f"{x}_{name}": table(wave) for x in "QK" for name, wave in waves.items()}
    return worked(P=_sines(base=base, power=power), **rotation)


def _rotated(*, half: bool = False, back: bool = False) -> Mistake:
    def made(at: At) -> Numbers:
        x, cosine, sine = at["*"], at["*_cosine"], at["*_sine"]
        d = x.shape[1]
        left, right = (slice(0, None, 2), slice(1, None, 2))
        if half:
            left, right = slice(0, d // 2), slice(d // 2, None)
        sine = -sine if back else sine
        turned = at.right.copy()
        turned[:, left] = x[:, left] * cosine - x[:, right] * sine
        turned[:, right] = x[:, left] * sine + x[:, right] * cosine
        return turned

    return Mistake({"rotated_*": made})


# -- attention ------------------------------------------------------------------------------------


def _queries(at: At) -> Numbers:
    return at.first("rotated_Q", "Q")


def _keys(at: At) -> Numbers:
    return at.first("rotated_K", "K")


def _sums(left: Numbers, right: Numbers) -> Numbers:
    """Rows added to rows, number by number, where a product multiplies them."""
    made: Numbers = (left[:, None] + right[None]).sum(axis=2)
    return made


def _inputs(at: At) -> Numbers:
    """What an attention is of."""
    pre = at.data.get("norm") == "pre"
    return at.at("")["norm1.normed" if pre else "X"]


def _scaled(at: At) -> Numbers:
    return at.first("scaled", "scores")


def _scores(at: At) -> Numbers:
    """What a softmax is of."""
    return at.first("masked", "scaled", "scores")


def _root(at: At) -> Any:
    return at.book.root(at["Q"].shape[1])


def _of_queries(name: str) -> Instead:
    def made(at: At) -> Numbers:
        if at.place.startswith("heads"):  # a run of those
            return at.right
        return at.plus(at["Q"] @ at.said(f"W_{name}"), f"b_{name}")

    return made


def _heads(at: At) -> list[str]:
    return [f"heads[{k + 1}]." for k in range(int(at.data["heads"]))]


def _run(at: At, name: str, k: int) -> Numbers:
    """Run k of the columns, from 1."""
    width = at[name].shape[1] // len(_heads(at))
    return at[name][:, (k - 1) * width : k * width]


def _dealt_out(name: str) -> Instead:
    return lambda at: at[name][:, at.k - 1 :: len(_heads(at))]


def _interleaved(at: At) -> Numbers:
    n = len(at.right)
    return at.right.reshape(n, len(_heads(at)), -1).swapaxes(1, 2).reshape(n, -1)


def _seen(off: int = 0, *, last: bool = True) -> Instead:
    """The keys up to so many behind a query; the last query stands at the last key, or the first at the
    first."""

    def made(at: At) -> Numbers:
        n, m = at.right.shape
        return at.numbers(np.tri(n, m, k=off + (m - n) * last, dtype=int))

    return made


def _hidden(at: At, instead: str = "-inf") -> Numbers:
    return where(at["mask"].astype(bool), _scaled(at), at.book.number(instead))


def _masked(mask: Instead) -> Mistake:
    return worked(mask=mask, masked=_hidden)


def _all(at: At) -> Numbers:
    return at.numbers(np.ones(at.right.shape, dtype=int))


def _power(base: int) -> Mistake:
    return worked(exp=lambda at: at.number(base) ** _scores(at))


_BEFORE_SUMS = (
    "Q", "K", "V", "Q_cosine", "Q_sine", "K_cosine", "K_sine", "rotated_Q", "rotated_K", "scores",
    "scaled", "mask", "masked", "exp",
)  # fmt: skip
"""What a head has before its powers are added up."""


def _sum_of_heads(at: At) -> Numbers:
    powers = [at.at("").book.start[f"{head}exp"] for head in _heads(at)]
    return sum((at.numbers(x).sum(axis=1, keepdims=True) for x in powers), at.right * 0)


def _sums_of_columns(at: At) -> Numbers:
    e = at["exp"]
    return e.sum(axis=0)[:, None] if len(e) == e.shape[1] else at.right


def _over_sums_of_columns(at: At) -> Numbers:
    e = at["exp"]
    return e / at["exp_sum"].T if len(e) == e.shape[1] else at.right


def _negated(at: At) -> Numbers:
    """e^−x, of e^x; what is hidden stays so."""
    return np.where(at.right == 0, at.right, 1 / at.right)


def _significant(at: At) -> Numbers:
    """To three digits, as a table has them."""
    return each(lambda x: type(x)(f"{x:.2e}"), at.right)


def _rounded_scaled(at: At) -> Numbers:
    root = round_half_away(_root(at), PLACES)
    return each(lambda x: round_half_away(x, PLACES), at["scores"] / root)


def _rounded_terms(a: Numbers, b: Numbers, places: int) -> Numbers:
    terms = a[:, :, None] * b[None]
    return np.asarray(each(lambda x: round_half_away(x, places), terms).sum(axis=1))


# -- blocks ---------------------------------------------------------------------------------------


def _norm_of(at: At) -> Numbers:
    """What norm `*` is of."""
    pre = at.data.get("norm") == "pre"
    return at["X" if pre and at.k == 1 else f"residual{at.k - pre}"]


def _times_width(at: At) -> Numbers:
    """A sum in the place of the mean."""
    made: Numbers = at.right * at.at("").first("X", "E").shape[1]
    return made


def _not_centered(at: At) -> Numbers:
    own = at.data[f"norm{at.star}"]
    gamma, beta = (at.numbers([own[key]]) for key in ("gamma", "beta"))
    return _norm_of(at) / at["norm*.deviation"] * gamma + beta


def _read_by_network(at: At) -> Numbers:
    return at["norm2.normed" if at.data.get("norm") == "pre" else "norm1.normed"]


def _relu(x: Numbers) -> Numbers:
    return apply("relu", x)


def _added_to_inputs(at: At) -> Numbers:
    """The last sum of a layer of what it was given, rather than of what came before."""
    if at.k < 2 + ("cross" in at.data):
        return at.right
    layer = at.place.removeprefix("layers[").removesuffix("].")
    first = int(layer or 1) == 1
    before = at.at("")["X"] if first else at.at(f"layers[{int(layer) - 1}].")["residual2"]
    return at["ffn"] + before


# -- recurrent cells ------------------------------------------------------------------------------


def _weight(at: At, name: str) -> Numbers:
    """A gate's own matrix, or its bias as a column."""
    found = at[name] if at.place + name in at.book.held else at.said(name)
    return found.T if name.startswith("b") else found


def _not_activated(at: At) -> Numbers:
    return at["z[*]"] if at.k else at.right


def _before(at: At, name: str = "a") -> Numbers:
    return at[f"{name}[{at.k - 1}]"]


def _input(at: At, letter: str) -> Numbers:
    """W x + b."""
    stacked = "weights_layout" in at.student.data
    bias = f"b_{letter}x" if stacked else f"b_{letter}"
    return _weight(at, f"W_{letter}x") @ at["x[*]"] + _weight(at, bias)


def _gates(made: Callable[[str], Instead], of: str = "") -> Mapping[str, Instead]:
    """All but the candidate."""
    return {f"gates[*].{of}{gate}": made(gate) for gate in LETTERS if gate != "candidate"}


def _forgetful(gate: str) -> Instead:
    return lambda at: _input(at, LETTERS[gate])


def _by_tanh(gate: str) -> Instead:
    return lambda at: apply("tanh", at[f"gates[*].z_{gate}"])


def _forgetful_candidate(at: At) -> Numbers:
    return at.right if at.student.data["cell"] == "gru" else _input(at, "c")


def _swapped_cell(at: At) -> Numbers:
    if not at.k:
        return at.right
    new, old = at["gates[*].forget"], at["gates[*].update"]
    made: Numbers = new * at["gates[*].candidate"] + old * _before(at, "c")
    return made


def _reset_after(at: At) -> Numbers:
    made: Numbers = _input(at, "c") + at["gates[*].reset"] * (_weight(at, "W_ca") @ _before(at))
    return made


def _reset_before(at: At) -> Numbers:
    kept = _weight(at, "W_ca") @ (at["gates[*].reset"] * _before(at))
    made: Numbers = _input(at, "c") + kept + _weight(at, "b_ca")
    return made


def _not_reset(at: At) -> Numbers:
    return at.first("gates[*].candidate_a", f"a[{at.k - 1}]")


def _not_reset_later(at: At) -> Numbers:
    old = _not_reset(at)
    return _input(at, "c") + (
        old if at.student.data.get("reset") == "after" else _weight(at, "W_ca") @ old
    )


# -- updates --------------------------------------------------------------------------------------


def _setting(at: At, key: str) -> Any:
    return at.number(at.student.data["train"][key])


def _number(at: At) -> int:
    """Which update it is, from 1."""
    return 1 + int(at.place.removeprefix("train[").removesuffix("].") or 0)


def _last_place(at: At) -> str:
    """Where the update before is, if there is one."""
    return f"train[{_number(at) - 2}]." if _number(at) > 2 else ""


def _parameter(at: At) -> Numbers:
    """The parameter before an update."""
    return at.said(at.star) if _number(at) == 1 else at.at(_last_place(at))["update.*"]


def _gradient(at: At) -> Numbers:
    return at.first("clipped.*", "grad.*")


_STEPS = (
    "clipped_quotient.*", "quotient.*", "ahead.*", "velocity.*", "clipped.*", "grad.*",
)  # fmt: skip


def _added(at: At) -> Numbers:
    adafactor = at.student.data["train"]["optimizer"] == "adafactor"
    rate = at["step_size.*"] if adafactor else _setting(at, "learning_rate")
    made: Numbers = _start(at) + rate * at.first(*_STEPS)
    return made


def _start(at: At) -> Numbers:
    shrinks = f"{at.place}shrunk.{at.star}" in at.book.held
    return at["shrunk.*"] if shrinks else _parameter(at)


def _without_epsilon_behind(at: At) -> Numbers:
    m = at.first("m_hat.*", "clipped.*", "grad.*")
    v = at.first("v_hat.*", "v.*")
    return m / apply("sqrt", v + _setting(at, "epsilon"))


def _average(key: str, squared: int) -> Instead:
    """Of a gradient of the loss and of the decay together."""

    def made(at: At) -> Numbers:
        beta = _setting(at, key)
        new = _gradient(at) + _setting(at, "weight_decay") * _parameter(at)
        share = (1 - beta) * (new * new if squared else new)
        name = "v.*" if squared else "m.*"
        average: Numbers = share
        if _number(at) > 1:
            average = beta * at.at(_last_place(at))[name] + share
        return average

    return made


def _step_size(at: At) -> Numbers:
    root = apply("sqrt", at.numbers([[_number(at)]]))
    made: Numbers = np.minimum(_setting(at, "learning_rate"), 1 / root)
    return made


# -- all of them ----------------------------------------------------------------------------------


def _mistakes() -> Iterator[tuple[str, Mistake]]:
    for key in ("W_Q", "W_K", "W_V", "W_O", "W1", "W2", "W_ax", "W_aa"):
        yield f"{key}_transposed", _turned(key)
    for key in ("b_Q", "b_K", "b_V", "b_O", "b2"):
        yield f"{key}_forgotten", _left_out(key)


MISTAKES: Mapping[str, Mistake] = {
    **dict(_mistakes()),
    "W_Q_and_W_K_swapped": said(_queries_and_keys),
    "V_by_W_K": said(_keys_for_values),
    "computed_from_Q": worked(**{name: _of_queries(name[0]) for name in ("K", "V", "K_new", "V_new")}),
    # positions
    "from_one": worked(P=_sines(first=1)),
    "sine_and_cosine_swapped": worked(P=_sines(even=1)),
    "exponent_of_each_column": worked(P=_sines(lambda j: 2 * j)),
    "cosine_of_next_exponent": worked(P=_sines(lambda j: j)),
    "other_base": _other_waves(base=1000.0),
    "angle_multiplied": _other_waves(power=1),
    "left_out": worked(X=lambda at: at["E"]),
    "other_pairs": _rotated(half=True),
    "turned_back": _rotated(back=True),
    # scores
    "not_scaled": worked(scaled=lambda at: at["scores"]),
    "divided_by_d_k": worked(scaled=lambda at: at["scores"] / at["Q"].shape[1]),
    "multiplied": worked(scaled=lambda at: at["scores"] * _root(at)),
    "divided_by_root_of_d_model": worked(
        scaled=lambda at: at["scores"] / at.book.root(at.at("")["X"].shape[1])
    ),
    "root_rounded": worked(scaled=lambda at: at["scores"] / at.number(round(float(_root(at)), 2))),
    "queries_and_keys_swapped": worked(scores=lambda at: _keys(at) @ _queries(at).T),
    "K_not_transposed": worked(scores=lambda at: _queries(at) @ _keys(at)),
    "added_up": worked(scores=lambda at: _sums(_queries(at), _keys(at))),
    "products_rounded": Mistake(product=_rounded_terms),
    # masks
    "not_masked": _masked(_all),
    "mask_not_applied": worked(masked=_scaled),
    "masked_scores_not_used": worked(exp=lambda at: apply("exp", _scaled(at))),
    "zero_for_infinity": worked(masked=lambda at: _hidden(at, "0")),
    "minus_one_for_infinity": worked(masked=lambda at: _hidden(at, "-1")),
    "sees_the_next": _masked(_seen(1)),
    "does_not_see_itself": _masked(_seen(-1)),
    "other_corner": _masked(_seen(last=False)),
    "masked_after_softmax": worked(
        masked=_scaled, weights=lambda at: at["exp"] / at["exp_sum"] * at["mask"]
    ),
    # softmax
    "base_2": _power(2),
    "base_10": _power(10),
    "exponent_negated": worked(exp=_negated),
    "maximum_subtracted": worked(exp=lambda at: at.right / at.right.max(axis=1, keepdims=True)),
    "three_digits": worked(exp=_significant),
    "scaled": worked(exp=lambda at: apply("exp", at["scores"] / _root(at))),
    "scaled_and_rounded": worked(exp=lambda at: apply("exp", _rounded_scaled(at))),
    "over_all_cells": worked(exp_sum=lambda at: at.right * 0 + at["exp"].sum()),
    "over_all_heads": Mistake({"exp_sum": _sum_of_heads}, ahead=_BEFORE_SUMS),
    "column_sums": worked(exp_sum=_sums_of_columns),
    "column_sums_by_column": worked(exp_sum=_sums_of_columns, weights=_over_sums_of_columns),
    "down_the_columns": worked(weights=lambda at: at["exp"] / at["exp"].sum(axis=0, keepdims=True)),
    "without_exponentials": worked(
        weights=lambda at: _scores(at) / _scores(at).sum(axis=1, keepdims=True)
    ),
    # what is put together
    "scores_for_weights": worked(output=lambda at: at["scores"] @ at["V"]),
    "keys_for_values": worked(output=lambda at: at["weights"] @ _keys(at)),
    "inputs_for_values": worked(output=lambda at: at["weights"] @ _inputs(at)),
    "weights_by_column": worked(output=lambda at: at["weights"].T @ at["V"]),
    "other_head": Mistake({"heads[1].Q": lambda at: _run(at, "Q", 2)}),
    "columns_dealt_out": Mistake({f"heads[*].{name}": _dealt_out(name) for name in "QKV"}),
    "heads_not_split": Mistake({"heads[*].scores": lambda at: at["Q"] @ at["K"].T}),
    "heads_in_another_order": worked(
        concat=lambda at: np.hstack([at[f"{head}output"] for head in reversed(_heads(at))])
    ),
    "heads_interleaved": worked(concat=_interleaved),
    "W_O_left_out": worked(attention=lambda at: at.first("concat", "output")),
    # blocks
    "not_added": Mistake({"residual*": lambda at: at.first("ffn", "attention")}),
    "added_to_X": Mistake({"residual*": _added_to_inputs}),
    "pre_norm": said(lambda _: {"norm": "pre"}),
    "post_norm": said(lambda _: {"norm": "post"}),
    "not_normed": Mistake({"norm*.normed": _norm_of}),
    "not_centered": Mistake({"norm*.normed": _not_centered}),
    "not_divided": worked(mean=_times_width),
    "squares_not_divided": worked(variance=_times_width),
    "root_forgotten": worked(deviation=lambda at: at["variance"]),
    "root_forgotten_epsilon": worked(deviation=lambda at: at["variance"] + at.number(0.00001)),
    "other_divisor": _norms(over="n-1"),
    "epsilon_elsewhere": _norms(epsilon_in="outside"),
    "gamma_forgotten": _of_norms("gamma"),
    "beta_forgotten": _of_norms("beta"),
    "activation_forgotten": Mistake({
        "activated": lambda at: at["hidden"], "a[*]": _not_activated,
    }),
    "relu_for_gelu": worked(activated=lambda at: _relu(at["hidden"])),
    "b1_forgotten": worked(hidden=lambda at: _read_by_network(at) @ at.said("W1")),
    "bias_after_activation": worked(
        hidden=lambda at: _read_by_network(at) @ at.said("W1"),
        activated=lambda at: _relu(at["hidden"]) + at.said("b1"),
    ),
    # recurrent cells
    "bias_forgotten": said(_without_biases),
    "memory_not_carried": Mistake({"aa[*]": lambda at: at.said("W_aa") @ at["a[0]"]}),
    "memory_forgotten": Mistake({
        **_gates(_forgetful, "z_"), "gates[*].z_candidate": _forgetful_candidate,
    }),
    "tanh_for_sigmoid": Mistake(_gates(_by_tanh)),
    "sigmoid_for_tanh": Mistake({
        "gates[*].candidate": lambda at: apply("sigmoid", at["gates[*].z_candidate"]),
    }),
    "tanh_forgotten": Mistake({"tanh_c[*]": lambda at: at["c[*]"]}),
    "gates_swapped": Mistake({"c[*]": _swapped_cell}, _other_update),
    "gates_in_another_order": said(_another_order),
    "reset_after_product": Mistake({"gates[*].z_candidate": _reset_after}),
    "reset_before_product": Mistake({"gates[*].z_candidate": _reset_before}),
    "reset_ignored": Mistake({"gates[*].reset_a": _not_reset}),
    "reset_ignored_later": Mistake({"gates[*].z_candidate": _not_reset_later}),
    # the loss, and the way back
    "loss_not_divided": worked(cross_entropy=lambda at: at["loss"].sum(axis=0, keepdims=True)),
    "other_factor": Mistake({"grad.loss": lambda at: at.right * 7}),
    "exchanged": Mistake({"grad.logits": lambda at: -at.right}),
    "transpose_forgotten": Mistake({"grad.V": lambda at: at["weights"] @ at["grad.output"]}),
    # updates
    "gradient_added": Mistake({"update.*": _added}),
    "learning_rate_left_out": Mistake({"update.*": lambda at: _start(at) - at.first(*_STEPS)}),
    "not_clipped": Mistake({"clipped.*": lambda at: at["grad.*"]}),
    "velocity_forgotten": Mistake({"velocity.*": _gradient}),
    "not_looked_ahead": Mistake({"ahead.*": lambda at: at["velocity.*"]}),
    "bias_not_corrected": Mistake({
        "m_hat.*": lambda at: at["m.*"], "v_hat.*": lambda at: at.first("v_max.*", "v.*"),
    }),
    "epsilon_inside_the_root": Mistake({"quotient.*": _without_epsilon_behind}),
    "largest_forgotten": Mistake({"v_max.*": lambda at: at["v.*"]}),
    "not_shrunk": Mistake({
        "update.*": lambda at: _parameter(at) - _setting(at, "learning_rate") * at["quotient.*"],
    }),
    "decay_in_the_gradient": Mistake({
        "m.*": _average("beta1", 0), "v.*": _average("beta2", 1), "shrunk.*": _parameter,
    }),
    "quotient_not_clipped": Mistake({"clipped_quotient.*": lambda at: at["quotient.*"]}),
    "step_not_relative": Mistake({"step_size.*": _step_size}),
}  # fmt: skip
