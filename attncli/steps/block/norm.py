"""Layer norm (Ba et al. 2016, arXiv:1607.06450), RMS norm (Zhang & Sennrich 2019,
arXiv:1910.07467) and batch norm in use (Ioffe & Szegedy 2015, arXiv:1502.03167)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from attncli.arithmetic.expression import Number, Symbol
from attncli.arithmetic.operations import (
    MeanOfSquares,
    Normalize,
    NormalizeColumns,
    Operation,
    RootOf,
    RootOfEach,
    RowMean,
    Same,
    SubtractFromEach,
    SubtractRow,
)
from attncli.file.keys import Key, Record
from attncli.file.kinds import Choice
from attncli.file.problems import Problems
from attncli.name import Name, below
from attncli.scenario.input_steps import projected_when
from attncli.scenario.model import Settings
from attncli.steps.block.norm_keys import EPSILON, EPSILON_IN, KIND, NORM, OVER, PLUS_ONE, SETTINGS
from attncli.steps.block.norm_order import norm_order
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.steps.swaps import sum_for_mean, without_root
from attncli.trace import Definition, NormPlace

_FOUND = ("mean", "variance")
_KEYS: tuple[Key[Any], ...] = (
    Key("embedding_norm", NORM, "a norm before the first layer"),
    Key("final_norm", NORM, "a norm after the last layer"),
    Key(
        "norm",
        Choice(
            ("post", "pre", "after", "both", "none"),
            other="how norms are done belongs in norms: {kind: layer}",
        ),
        "where norms stand: `post`, after each residual (the default of `encoder` and "
        "`decoder`), `pre`, before each sublayer, `after` it, before its output is added (OLMo 2), "
        "`both` before and after it (Gemma 2), or `none`",
        shared=True,
    ),
    Key(
        "norms",
        Record.of(*SETTINGS),
        "how norms are done that don't say it themselves: of a layer its own; for the whole file"
        " those of all layers, `embedding_norm` and `final_norm`",
        shared=True,
    ),
    *(Key(f"norm{k}", NORM, f"the layer's norm {k}: γ, β, and how it is done") for k in (1, 2, 3)),
    *(
        Key(f"norm{k}_after", NORM, f"with `norm: both`: the norm after sublayer {k}")
        for k in (1, 2, 3)
    ),
)


class Normalizing(NamedTuple):
    """Rows that are normalized: what they are, how, what the quantities are called on the way and
    `width` is called in formulas; γ and β by their full names, where they are given."""

    norm: Settings
    x: Name
    name: Callable[[str], Name]
    out: Name
    given: tuple[tuple[str, Name], ...]
    blame: Name
    width: str = "d_model"

    def definitions(self) -> tuple[Definition, ...]:
        """All that a norm makes."""
        made = {"rms": self._rms, "batch": self._batch, "layer": self._layer}
        return made[self.norm.get(KIND) or "layer"]()

    def _batch(self) -> tuple[Definition, ...]:
        """Each column, by what training found of it."""
        centered, deviation, given = self.name("centered"), self.name("deviation"), dict(self.given)
        epsilon, inside = self.norm.get(EPSILON), self.norm.get(EPSILON_IN) == "root"
        normalize = NormalizeColumns("gamma" in given, "beta" in given)
        return (
            self._of(centered, SubtractFromEach(), self.x, self.name("mean")),
            self._of(deviation, RootOfEach(Number.written(epsilon), inside), self.name("variance")),
            self._of(self.out, normalize, centered, deviation, *given.values()),
        )

    def _layer(self) -> tuple[Definition, ...]:
        mean, centered = self.name("mean"), self.name("centered")
        variance, deviation = self.name("variance"), self.name("deviation")
        return (
            self._of(mean, RowMean(Symbol(self.width)), self.x),
            self._of(centered, SubtractRow(), self.x, mean),
            self._of(variance, self._squares(), centered),
            self._of(deviation, self._root(), variance),
            self.normed(centered, deviation),
        )

    def _rms(self) -> tuple[Definition, ...]:
        mean_square, rms = self.name("mean_square"), self.name("rms")
        return (
            self._of(mean_square, self._squares(), self.x),
            self._of(rms, self._root(), mean_square),
            self.normed(self.x, rms),
        )

    def _squares(self) -> MeanOfSquares:
        return MeanOfSquares(self.norm.get(OVER) == "n-1", Symbol(self.width))

    def _root(self) -> RootOf:
        under_root = self.norm.get(EPSILON_IN) == "root"
        return RootOf(Number.written(self.norm.get(EPSILON)), under_root)

    def normed(self, x: Name, deviation: Name) -> Definition:
        """The last of them: x / deviation ⊙ γ + β."""
        given = dict(self.given)
        plus_one = self.norm.get(PLUS_ONE) or False
        operation = Normalize("gamma" in given, "beta" in given, plus_one)
        return self._of(self.out, operation, x, deviation, *given.values())

    def _of(self, made: Name, operation: Operation, *operands: Name) -> Definition:
        return Definition(made, operation, operands, blame=self.blame)


def _normalizing(place: NormPlace) -> Normalizing:
    own = place.path in place.scenario.places
    of_embeddings = place.norm is place.stack.embedding_norm
    before_projection = of_embeddings and projected_when(place.stack) == "after"
    return Normalizing(
        place.norm,
        place.x,
        place.name,
        place.out,
        tuple((local, place.name(local)) for local in ("gamma", "beta") if place.gives(local)),
        place.path if own else below(place.path.path, "norms"),
        "d_embed" if before_projection else "d_model",
    )


def _plan(place: NormPlace) -> tuple[Definition, ...]:
    return _normalizing(place).definitions()


def _is_batch(place: NormPlace) -> bool:
    return place.norm.get(KIND) == "batch"


def _check(place: NormPlace, problems: Problems) -> None:
    """A mean and a variance belong to a batch norm, and it to them."""
    batch = _is_batch(place)
    for key in _FOUND:
        where = place.scenario.where(below(place.path, key))
        if batch and not place.gives(key):
            wrong = f"a batch norm without its {key}"
            problems.add(where, wrong, f"add what training found, like {key}: [0, 1]")
        if not batch and place.gives(key):
            problems.add(where, f"{key} is of batch norms", "say kind: batch, or leave it out")
    if batch and place.norm.get(PLUS_ONE):
        where = place.scenario.where(below(place.path, PLUS_ONE.name))
        problems.add(where, "gamma_plus_one is not for batch norms", "leave it out")


def _over_other(place: NormPlace) -> Definition | None:
    if _is_batch(place):
        return None
    variance = _plan(place)[-3]
    return variance._replace(operation=MeanOfSquares(place.norm.get(OVER) != "n-1"))


def _not_centered(place: NormPlace) -> Definition | None:
    if place.norm.get(KIND) in ("rms", "batch"):
        return None
    return _normalizing(place).normed(place.x, place.name("deviation"))


def _not_normed(place: NormPlace) -> Definition:
    return _plan(place)[-1]._replace(operation=Same(), operands=(place.x,))


def _epsilon_elsewhere(place: NormPlace) -> Definition | None:
    """ε added to the deviation where it belongs under the root, or the other way round."""
    epsilon, inside = place.norm.get(EPSILON), place.norm.get(EPSILON_IN) == "root"
    if not epsilon or _is_batch(place):
        return None
    return _plan(place)[-2]._replace(operation=RootOf(Number.written(epsilon), not inside))


def _root_forgotten(place: NormPlace) -> tuple[Definition, ...]:
    """The variance for the deviation, with ε or without."""
    root = _plan(place)[-2]
    bare = root._replace(operation=Same())
    return tuple(filter(None, (without_root(root), bare)))


def _summed(place: NormPlace) -> tuple[Definition, ...]:
    """The sum for the mean, of the numbers or of the squares."""
    return tuple(filter(None, map(sum_for_mean, _plan(place))))


def _left_out(local: str) -> Mistake[NormPlace]:
    """A norm without its γ or its β."""

    def definition(place: NormPlace) -> Definition | None:
        whole = _normalizing(place)
        rest = tuple(one for one in whole.given if one[0] != local)
        return whole._replace(given=rest).definitions()[-1] if rest != whole.given else None

    letter = {"gamma": "γ", "beta": "β"}[local]
    return Mistake(f"{local}_forgotten", f"Leaving out {letter}.", definition)


def told(normalizing: Normalizing) -> str:
    """How a norm is done, in words."""
    norm, given, width = normalizing.norm, dict(normalizing.given), normalizing.width
    what = ["Layer norm subtracts each row's mean", "divides by its standard deviation"]
    if norm.get(KIND) == "rms":
        what = ["RMS norm divides each row by the root of the mean of its squares"]
    if norm.get(KIND) == "batch":
        what = ["Batch norm subtracts from each column the mean that training found"]
        what += ["divides by the root of the variance that it found"]
    factor = "1 + γ" if norm.get(PLUS_ONE) else "γ"
    what += [f"multiplies by {factor}"] if "gamma" in given else []
    what += ["adds β"] if "beta" in given else []
    done = " and ".join(filter(None, (", ".join(what[:-1]), what[-1])))
    where = "inside the root" if norm.get(EPSILON_IN) == "root" else "to the deviation"
    epsilon = norm.get(EPSILON)
    added = f" ε = {epsilon:f} is added {where}." if epsilon else ""
    if norm.get(KIND) == "batch":
        return f"{done}.{added}"
    divisor = f"{width} − 1" if norm.get(OVER) == "n-1" else width
    return f"{done}. The sum of the squares is divided by {divisor}.{added}"


def _happens(place: NormPlace) -> str:
    return told(_normalizing(place))


_TITLES = {
    **{f"norm{k}": f"Norm {k}" for k in (1, 2, 3)},
    **{f"norm{k}_after": f"Norm {k} after" for k in (1, 2, 3)},
    "embedding_norm": "Embedding norm",
    "final_norm": "Final norm",
}


def _title(place: NormPlace) -> str:
    return _TITLES.get(place.path.local, "Norm")


STEP = Step(
    name="norm",
    at=NormPlace,
    keys=(*_KEYS,),
    title="Norm",
    does="brings each token's vector back to a standard size",
    titled=_title,
    makes=("mean", "centered", "variance", "deviation", "mean_square", "rms", "normed"),
    shapes="x [n, d_model] → mean [n], variance [n], deviation [n] → normed [n, d_model]",
    happens=_happens,
    why=(
        "From layer to layer numbers could grow or shrink without end; a norm, short for"
        " normalization, brings each token's vector back to a standard size."
    ),
    more=(
        "That is mean 0 and standard deviation 1, or for RMS norm only the size. Then γ and β,"
        " which are learned, may stretch and shift it again."
    ),
    check=_check,
    plan=_plan,
    general=General(x="x", gives=("gamma", "beta")),
    shown_with=("block=encoder",),
    on_the_way=True,
    told_once=True,
    mistakes=(
        Mistake(
            "other_divisor",
            "Dividing the squares by n − 1 where n belongs, or the other way round.",
            _over_other,
        ),
        Mistake(
            "not_centered",
            "Dividing the numbers themselves by the deviation, without subtracting the mean.",
            _not_centered,
        ),
        Mistake(
            "not_normed",
            "Leaving the norm out and going on with the numbers as they are.",
            _not_normed,
        ),
        Mistake(
            "epsilon_elsewhere",
            "Adding ε to the deviation where it belongs under the root, or the other way round.",
            _epsilon_elsewhere,
        ),
        Mistake(
            "root_forgotten",
            "Dividing by the variance itself, without taking its root.",
            lambda place: next(iter(_root_forgotten(place)), None),
            variants=lambda place: [(one,) for one in _root_forgotten(place)[1:]],
        ),
        Mistake(
            "sum_for_mean",
            "Adding up without dividing by how many numbers there are: the sum for the mean.",
            lambda place: next(iter(_summed(place)), None),
            variants=lambda place: [(one,) for one in _summed(place)[1:]],
        ),
        *map(_left_out, ("gamma", "beta")),
        *map(norm_order, ("pre", "post")),
    ),
    backward=Backward(
        "the norm",
        (
            "A layer norm or an RMS norm ties the numbers of a token together: a push along the"
            " vector itself does nothing, nor does in a layer norm one that all numbers share."
        ),
        fixed=("mean", "variance"),
        example="i_love_ai",
    ),
)
