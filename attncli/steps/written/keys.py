"""What a scenario may say of equations of its own: what is given, sides, steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from attncli.errors import quote, shortened
from attncli.maths.equations.language import (
    WORDS,
    EquationError,
    Literal,
    Target,
    WrittenEquation,
    made_by,
    read_bound,
    read_equation,
    read_value,
)
from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers import decimals
from attncli.scenario.file.keys import (
    Choice,
    Key,
    ListOf,
    MapOf,
    NumberKind,
    Record,
    Schema,
    TextKind,
    WholeNumber,
)
from attncli.scenario.file.matrices import MATRIX, MatrixLike, Row, VectorKind
from attncli.scenario.file.nodes import (
    Items,
    Map,
    Node,
    Numbers,
    Scalar,
    TextPlace,
    as_lists,
    describe,
)
from attncli.scenario.file.problems import Diagnostics, nearest
from attncli.scenario.file.sources import is_source
from attncli.scenario.written import (
    EquationLine,
    GivenArray,
    Instead,
    Output,
    Standing,
    Start,
    Times,
    WrittenMistake,
    WrittenStep,
)
from attncli.steps.order import FLOWS, STANDING, goes_to

_NAMED = re.compile(r"(?P<name>[^\W\d]\w*)\s*(?:\[(?P<sides>[^\[\]]*)\])?")
_SIDE = re.compile(r"[^\W\d]\w*")
_MOST = 1000
_MATRIX = 2
"""The sides of a matrix."""
_T = TypeVar("_T")


class GivenKind(NamedTuple):
    """Numbers, lists and matrices by their names; the sides of these may have names."""

    def read(self, node: Node, problems: Diagnostics) -> dict[str, GivenArray] | None:
        if not isinstance(node, Map) or not node.entries:
            right = "give arrays by their names, like X: [[1, 0]]"
            problems.add(node.where, f"{describe(node)} where a map belongs", right)
            return None
        found: dict[str, GivenArray] = {}
        for key, value in node.entries:
            read = self._array(key, value, problems)
            if read is None:
                continue
            name, array = read
            if name in found:
                problems.add(key.where, f"{name} is there twice", "call one otherwise")
            found[name] = array
        return found

    def _array(
        self, key: Scalar, value: Node, problems: Diagnostics
    ) -> tuple[str, GivenArray] | None:
        named = _NAMED.fullmatch(key.text.strip())
        name = named["name"] if named else ""
        sides = [side.strip() for side in (named["sides"] or "").split(",")] if named else []
        sides = [] if sides == [""] else sides
        if not named or name in (*WORDS, "pi") or not all(_SIDE.fullmatch(side) for side in sides):
            wrong = f"{quote(key.text)} is no name of an array"
            right = "write letters, digits and _, with the names of its sides: X[token, d]"
            problems.add(key.where, wrong, right)
            return None
        depth = _depth(value)
        if depth > _MATRIX:
            matrices = _all_numbers(value, problems)
        else:
            matrix = _numbers(value, problems)
            matrices = () if matrix is None else (matrix,)
        if not matrices:
            return name, GivenArray(tuple(sides), (), value.where)
        if sides and len(sides) != depth:
            wrong = (
                f"{name} has {depth or 'no'} side{'s' * (depth != 1)}, and names for {len(sides)}"
            )
            problems.add(key.where, wrong, "name each side, or none")
            return None
        return name, GivenArray(tuple(sides) or ("",) * depth, matrices, value.where)

    def schema(self) -> Schema:
        number, vector = NumberKind().schema(), VectorKind().schema()
        matrices = {"type": "array", "items": MATRIX.schema(), "minItems": 1}  # a third side
        kinds = {"anyOf": [number, vector, MATRIX.schema(), matrices]}
        return {"type": "object", "additionalProperties": kinds, "minProperties": 1}


def _depth(node: Node) -> int:
    """Counts the sides of what is written: none of a number, one of a list, two of a matrix."""
    if isinstance(node, Numbers):
        return node.array.ndim
    if isinstance(node, Items):
        first = node.items[0] if node.items else None
        return 1 + min(_depth(first), 2) if isinstance(first, Items) else 1
    return 2 if is_source(node) else 0


def _all_numbers(node: Node, problems: Diagnostics) -> tuple[MatrixLike, ...]:
    """Reads matrices of one shape, one after the other."""
    items = as_lists(node)
    assert isinstance(items, Items)
    read = [MATRIX.read(item, problems) for item in items.items]
    known = tuple(matrix for matrix in read if isinstance(matrix, Matrix))
    if len(known) == len(read) and len({matrix.shape for matrix in known}) > 1:
        wrong = "matrices of different shapes in one array"
        problems.add(node.where, wrong, "give all of them as many rows and columns")
        return ()
    return known if len(known) == len(read) else ()


def _numbers(node: Node, problems: Diagnostics) -> MatrixLike | None:
    """Reads a number, a list or a matrix."""
    if isinstance(node, Scalar):
        number = NumberKind().read(node, problems)
        return None if number is None else Row(Matrix.of_written([[number]]))
    if _depth(node) == 1:
        return VectorKind().read(node, problems)
    return MATRIX.read(node, problems)


class EquationKind(NamedTuple):
    """An equation of a scenario's own."""

    def read(self, node: Node, problems: Diagnostics) -> EquationLine:
        belongs = "an equation", f"write what it makes and how, {_written_out(node)}"
        read = _read(node, belongs, lambda x, at: EquationLine(read_equation(x), at), problems)
        return read or _broken(node)

    def schema(self) -> Schema:
        return {"type": "string", "pattern": "="}


def _broken(node: Node) -> EquationLine:
    """Makes the equation of what can't be read, which would make what it says, if it says that."""
    name = made_by(node.text) if isinstance(node, Scalar) else ""
    made = WrittenEquation(Target(name, (), 0), Literal("0", 0), name)
    place = node.place if isinstance(node, Scalar) else TextPlace(node.where)
    return EquationLine(made, place, is_broken=True)


class EquationsKind(NamedTuple):
    """A list of equations."""

    @property
    def kind(self) -> ListOf[EquationLine]:
        """Returns what a list of some is read by."""
        return ListOf(EquationKind())

    def read(self, node: Node, problems: Diagnostics) -> tuple[EquationLine, ...]:
        if not isinstance(node, Items) or not node.items:
            wrong = "an empty list" if isinstance(node, Items) else describe(node)
            right = f"write each behind a dash: {_dashed(node)}"
            problems.add(node.where, f"{wrong} where a list of equations belongs", right)
            return (_broken(node),)
        return tuple(EquationKind().read(item, problems) for item in node.items)

    def schema(self) -> Schema:
        return self.kind.schema()


def _written_out(node: Node) -> str:
    """Writes what is no equation as one, where it may be meant as one: `y = 2` for a map of y to
    2."""
    if isinstance(node, Scalar) and "=" in node.text:
        return shortened(node.text)
    if isinstance(node, Map) and node.entries:
        key, value = node.entries[0]
        if "=" in key.text:  # of which a colon makes a key
            return f"{shortened(key.text)}, without a colon"
        if isinstance(value, Scalar) and value.text and made_by(key.text):
            return shortened(f"{key.text} = {value.text}")
    return "z[i] = sum(X[i, k] for k)"


def _dashed(node: Node) -> str:
    """Writes an equation of a list, where there is one, the first."""
    first = node.items[0] if isinstance(node, Items) and node.items else node
    return f"- {_written_out(first)}"


class ValueKind(NamedTuple):
    """What may stand right of an equation's sign."""

    def read(self, node: Node, problems: Diagnostics) -> Instead | None:
        belongs = "the right side of an equation", "write it like sum(X[i, k] for k)"
        return _read(node, belongs, lambda x, at: Instead(read_value(x), at), problems)

    def schema(self) -> Schema:
        return {"type": ["string", "number"]}


class TimesKind(NamedTuple):
    """The index over whose times a step goes, perhaps with its side: `t in round`."""

    def read(self, node: Node, problems: Diagnostics) -> Times | None:
        belongs = "an index", "write one, t, or with the side that it goes along, t in round"
        return _read(node, belongs, lambda x, at: Times(read_bound(x), at), problems)

    def schema(self) -> Schema:
        return {"type": "string"}


class StartKind(NamedTuple):
    """What stands before the first time: a number for all, or the name of an array, which numbers
    have got before they are read here."""

    def read(self, node: Node, problems: Diagnostics) -> Start | None:
        if isinstance(node, Scalar) and _SIDE.fullmatch(node.text):
            return Start("", node.text, node.where)
        if isinstance(node, Scalar):
            text = decimals.with_plain_signs(node.text)
            if text in ("-inf", "-.inf", "-∞"):
                return Start("-Infinity", "", node.where)
            number = NumberKind().read(node, problems)
            return Start("0" if number is None else str(number), "", node.where)
        wrong = f"{describe(node)} where a number, numbers or the name of an array belongs"
        right = "give a number for all, or numbers such as [0, 1]"
        if isinstance(node, Items) and node.items:
            wrong, right = "numbers in a file of steps", "give them in given, and their name here"
        problems.add(node.where, wrong, right)
        return Start("0", "", node.where)

    def schema(self) -> Schema:
        kinds = [{"type": ["string", "number"]}, VectorKind().schema(), MATRIX.schema()]
        return {"anyOf": kinds}


class StandingKind(NamedTuple):
    """A step of the model, or several: `scores to weighted_sum`."""

    how: str

    def read(self, node: Node, problems: Diagnostics) -> Standing | None:
        if not isinstance(node, Scalar):
            problems.add(node.where, f"{describe(node)} where a step belongs", "name one")
            return None
        first, to, last = node.text.partition(" to ")
        names = [first.strip(), last.strip()] if to else [first.strip()]
        for name in names:
            if name not in STANDING:
                wrong = f"no step of a model is called {quote(name)}"
                problems.add(node.where, wrong, nearest(name, STANDING))
                return None
        first, last = names[0], names[-1]
        if to and self.how != "instead_of":
            problems.add(node.where, f"{self.how} several steps", f"name one: {first}")
            return None
        if not any(goes_to(first, last, flow) for flow in FLOWS):
            wrong = f"{last} doesn't come after {first} on the same way"
            problems.add(node.where, wrong, "name the first step, and then the last one")
            return None
        return Standing(self.how, first, last, node.where)

    def schema(self) -> Schema:
        if self.how == "instead_of":
            return {"type": "string"}
        return {"enum": [*STANDING]}


class OutputKind(NamedTuple):
    """The name of what an equation of a step makes."""

    def read(self, node: Node, problems: Diagnostics) -> Output | None:
        if isinstance(node, Scalar) and _SIDE.fullmatch(node.text):
            return Output(node.text, node.where)
        wrong = f"{describe(node)} where a name belongs"
        problems.add(node.where, wrong, "name what an equation of the step makes")
        return None

    def schema(self) -> Schema:
        return {"type": "string"}


def _read(
    node: Node,
    belongs: tuple[str, str],
    read: Callable[[str, TextPlace], _T],
    problems: Diagnostics,
) -> _T | None:
    """Reads a text by the rules of equations; what is wrong goes to `problems`, with its place.
    Where there is no text, they are told what `belongs` there, and what to write."""
    is_text = isinstance(node, Scalar) and node.text.strip() not in ("", "~", "null", "None")
    if not is_text or not isinstance(node, Scalar):
        wrong = "nothing" if isinstance(node, Scalar) else describe(node)
        problems.add(node.where, f"{wrong} where {belongs[0]} belongs", belongs[1])
        return None
    try:
        return read(node.text, node.place)
    except EquationError as error:
        problems.add(node.place.at(error.start), error.wrong, error.right)
        return None


_TEXT = TextKind("some words")
_MISTAKE = Record.of(
    Key("says", _TEXT, "what is done wrongly, as a sentence"),
    Key(
        "instead",
        MapOf(ValueKind(), "quantity"),
        "quantity → the right side that its equation has by mistake: `{output: Q[i, j]}`",
    ),
)


class MistakeKind(NamedTuple):
    """A mistake in a step, by what it says and what it changes."""

    @property
    def kind(self) -> Record:
        """Returns what it is read by."""
        return _MISTAKE

    def read(self, node: Node, problems: Diagnostics) -> dict[str, Any] | None:
        values = _MISTAKE.read(node, problems)
        if values is None or not isinstance(node, Map):
            return None
        for name, right in (
            ("says", "say what is done wrongly, in a sentence"),
            ("instead", "write the other right side, such as instead: {y: 2 * x[i]}"),
        ):
            if node.get(name) is None:
                problems.add(node.where, f"a mistake without {name}", right)
        return values if len(values) == len(_MISTAKE.known) else None

    def schema(self) -> Schema:
        return {**_MISTAKE.schema(), "required": [*_MISTAKE.known]}


_STEP = Record.of(
    Key("title", _TEXT, "what the step is called"),
    Key("why", _TEXT, "a sentence that says what it is for"),
    Key(
        "over",
        TimesKind(),
        "an index: all equations are worked for its first place, then for the next one, …;"
        " `t in round` where nothing tells how far it goes",
    ),
    Key("direction", Choice(("forward", "backward")), "whether it begins with the first place"),
    Key(
        "start",
        MapOf(StartKind(), "quantity"),
        "quantity → what it is before the first time: a number for all, a list or a matrix of"
        " numbers, or the name of an array",
    ),
    Key(
        "equations",
        EquationsKind(),
        "equations, each of which may use what is given or made above it: `z[i] = sum(X[i, k] for"
        " k)`",
    ),
    Key("mistakes", MapOf(MistakeKind(), "mistake"), "name → a common mistake in the step"),
    Key("before", StandingKind("before"), "in a model: the step that it stands before"),
    Key("after", StandingKind("after"), "in a model: the step that it stands behind"),
    Key(
        "instead_of",
        StandingKind("instead_of"),
        "in a model: the step that it takes the place of, or the first and the last of several:"
        " `scores to weighted_sum`",
    ),
    Key(
        "output",
        OutputKind(),
        "what flows on from it, by name; without it, what flowed in, or in the place of other steps"
        " what the last equation makes. The loss that gradients are of, where there is no model",
    ),
)


def _over(node: Map, values: Mapping[str, Any], problems: Diagnostics) -> Times | None:
    """Returns the times of a step, with what it starts with."""
    over: Times | None = values.get("over")
    start = node.get("start")
    if over is None:
        alone = next((key for key in ("start", "direction") if key in values), "")
        if alone and node.get("over") is None:
            problems.add(node.where, f"{alone} without over", "say over what: over: t")
        return None
    starts = values.get("start", {})
    if start is not None and "start" not in values:  # which can't be read
        names = (line.equation.target.name for line in values["equations"])
        starts = {name: Start("0", "", start.where, is_broken=True) for name in names}
    return over._replace(backward=values.get("direction") == "backward", starts=starts)


class StepKind(NamedTuple):
    """A step of a scenario's own, by its equations."""

    @property
    def kind(self) -> Record:
        """Returns what it is read by."""
        return _STEP

    def read(self, node: Node, problems: Diagnostics) -> WrittenStep:
        if not isinstance(node, Map):
            right = f"write equations: below its name, and below that {_dashed(node)}"
            problems.add(node.where, f"{describe(node)} where a step belongs", right)
            return WrittenStep("", node.where, (_broken(node),))
        values = _STEP.read(node, problems) or {}
        if "equations" not in values:
            right = "list some, like equations: ['z[i] = sum(X[i, k] for k)']"
            problems.add(node.where, "a step without equations", right)
            values["equations"] = (_broken(node),)
        over = _over(node, values, problems)
        standing = [values[how] for how in ("before", "after", "instead_of") if how in values]
        if len(standing) > 1:
            wrong = f"{standing[1].how}, and {standing[0].how}"
            problems.add(standing[1].where, wrong, "say one place")
        said_of = values.get("mistakes", {}).items()
        mistakes = tuple(WrittenMistake(name, **said) for name, said in said_of)
        return WrittenStep(
            "",
            node.where,
            values["equations"],
            values.get("title", ""),
            values.get("why", ""),
            over,
            mistakes,
            standing[0] if standing else None,
            values.get("output"),
        )

    def schema(self) -> Schema:
        return {**_STEP.schema(), "required": ["equations"]}


GIVEN = Key(
    "given",
    GivenKind(),
    "numbers, lists and matrices of equations of one's own, by name; their sides may have names:"
    " `X[token, d]: [[1, 0], [0, 1]]`",
)
NAMES = Key(
    "names",
    MapOf(ListOf(TextKind("a name")), "side"),
    "side → what its places are called: `{node: [a, b, c]}`; `tokens` are those of the side token",
)
SIZES = Key(
    "sizes",
    MapOf(WholeNumber(1, _MOST), "side"),
    "side → how long it is, where no array has it: `{round: 2}`",
)
VARY = Key(
    "vary",
    ListOf(TextKind("a name")),
    "the arrays of `given` that have other numbers in each form of an exercise: `[X, W_Q]`; without"
    " it all but those of 0 and 1 alone, such as masks",
)
EQUATIONS = Key(
    "equations",
    EquationsKind(),
    "equations of one's own, in one step: `z[i] = sum(X[i, k] for k)`",
)


class StepsKind(NamedTuple):
    """Steps of a scenario's own, by their names."""

    @property
    def kind(self) -> MapOf[WrittenStep]:
        """Returns what those that are a map are read by."""
        return MapOf(StepKind(), "step")

    def read(self, node: Node, problems: Diagnostics) -> dict[str, WrittenStep] | None:
        if not isinstance(node, Map) or not node.entries:
            right = "name each, with what it does below: my_step: {equations: [y = 2]}"
            if isinstance(node, Scalar) and node.text.endswith((".yaml", ".yml")):
                right = f"write {{file: {shortened(node.text)}}}"
            problems.add(node.where, f"{describe(node)} where steps belong", right)
            return None
        names = [key.text for key, _ in node.entries]
        beside = [key for key, value in node.entries if _is_beside_its_step(key, value)]
        if beside and names[0] not in _STEP.known:
            wrong = f"{beside[0].text} is said of a step, and stands beside {names[0]}"
            problems.add(beside[0].where, wrong, f"indent it further, to be inside of {names[0]}")
            return None
        return self.kind.read(node, problems)

    def schema(self) -> Schema:
        return self.kind.schema()


def _is_beside_its_step(key: Scalar, value: Node) -> bool:
    """Tells whether a key of a step stands where the name of one does."""
    return key.text in _STEP.known and not (isinstance(value, Map) and value.get("equations"))


STEP_BY_NAME = StepsKind()
