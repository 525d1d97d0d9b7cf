"""Steps that are declared in files of YAML: keys, words, and equations with letters for sides.

Equations are those of a scenario (`attn help equations`) but for what goes through places: no
index as a number, no shifted or fixed one, no softmax along one, no condition of a sum.

An equation that is one of `maths/operations` by its tree is that operation. A name in it is a
number of a key, a quantity that it reads, or a side, which is as long as that:

    reads: {x: [n, m]}
    equations: ["tempered[i, j] = x[i, j] / temperature"]

`x` is what flows in. What is a part of a key is given there; other names are those of quantities
as the steps before have left them. A step does nothing where a key isn't said that it reads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property, partial
from typing import Any, NamedTuple

from attncli.maths.equations.language import (
    Bound,
    Cell,
    EquationError,
    FunctionTarget,
    OverIndices,
    Reference,
    Target,
    read_equation,
    read_value,
    walk,
)
from attncli.maths.equations.tree import Number
from attncli.maths.operations.equation import EquationText, Indexed
from attncli.maths.operations.recognized import Maker, operation_of
from attncli.names import Name, below
from attncli.scenario.file import keys as kinds
from attncli.scenario.file import reading
from attncli.scenario.file.keys import (
    Choice,
    Either,
    Flag,
    Key,
    KeyValues,
    Kind,
    ListOf,
    MapOf,
    Needs,
    OneOrMany,
    Record,
    Schema,
    TextKind,
)
from attncli.scenario.file.matrices import MATRIX, TRUTH_TABLE, VECTOR
from attncli.scenario.file.nodes import Items, Map, Node, Scalar, data_of, describe
from attncli.scenario.file.problems import Diagnostics, Objections, nearest
from attncli.scenario.model import Settings
from attncli.steps.step import (
    Backward,
    Example,
    Formulas,
    Mistake,
    Planned,
    Prominence,
    Results,
    Step,
    Wording,
)
from attncli.trace import Definition, HeadPlace, Place

_PLACES: Mapping[str, type[Place]] = {"head": HeadPlace, "stack": Place}
_KINDS: Mapping[str, Kind[object]] = {
    "number": kinds.NUMBER,
    "positive number": kinds.POSITIVE,
    "share": kinds.SHARE,
    "count": kinds.COUNT,
    "flag": Flag(),
    "matrix": MATRIX,
    "vector": VECTOR,
    "truth table": TRUTH_TABLE,
}


class _Tree(NamedTuple):
    """What a key may hold that is read later: a tree of nodes."""

    def read(self, node: Node, problems: Diagnostics) -> Node:  # noqa: ARG002
        return node

    def schema(self) -> Schema:
        return {}


class _Equation(NamedTuple):
    """An equation, or the right side of one, which is read once all names are known."""

    def read(self, node: Node, problems: Diagnostics) -> Scalar | None:
        if isinstance(node, Scalar) and node.text:
            return node
        right = "write it in quotes, like 'made[i, j] = x[i, j] / 2'"
        problems.add(node.where, f"{describe(node)} where an equation belongs", right)
        return None

    def schema(self) -> Schema:
        return _TEXT.schema()


_TEXT, _FLAG, _TREE, _EQUATION = TextKind(), Flag(), _Tree(), _Equation()
_TEXTS, _SIDES = ListOf(_TEXT), MapOf(ListOf(_TEXT), "quantity")
_KIND = Either(
    lambda node: _TEXTS if isinstance(node, Items) else Choice(tuple(_KINDS)),
    (_TEXTS, Choice(tuple(_KINDS))),
)
_PART = (
    Key("kind", _KIND, "what it holds; or the words of which it is one"),
    Key("says", _TEXT, "what to say of it"),
    Key("default", _TREE, "what it is where a scenario says none"),
)
_KEY = Record.of(
    *_PART,
    Key("shared", _FLAG, "whether it holds for all layers if it is said above", default=False),
    Key("inherited", _FLAG, "whether a record inside takes it over", default=False),
    Key("only_with", _TREE, "a key without which it is wrong: what is wrong, what would be right"),
    Key("parts", MapOf(Record.of(*_PART), "key"), "the keys of its record"),
    Key("needs", _TEXTS, "those of them that have to be there"),
    Key("example", _TEXT, "an example of them"),
    Key("each", _TEXT, "what each name in it is of, where it has a record for each of several"),
)
_EXAMPLE = Record.of(
    Key("scenario", _TEXT, "a shipped scenario"),
    Key("changes", _TEXTS, "what gives the step to it"),
)
_SENTENCE = Record.of(
    Key("says", _TEXT, "the sentence"),
    Key("when", MapOf(_TEXT, "key"), "what the scenario says where it is shown"),
)
_SENTENCES = OneOrMany(
    Either(lambda node: _SENTENCE if isinstance(node, Map) else _TEXT, (_TEXT, _SENTENCE))
)
_MISTAKE = Record.of(
    Key("says", _TEXT, "what is done wrongly"),
    Key("instead", MapOf(_EQUATION, "quantity"), "quantity → its right side by mistake"),
)
_BACKWARD = Record.of(
    Key("through", _TEXT, "what the step is called on the way back"),
    Key("why", _TEXT, "where the gradient comes from, and which way it pushes"),
    Key("more", _TEXT, "what a lesson adds"),
    Key("fixed", _TEXTS, "what is given and isn't learned"),
    Key("example", _EXAMPLE, "what it is explained on"),
)
_NEEDED = (
    "at", "keys", "title", "does", "shapes", "happens", "why", "reads", "equations",
)  # fmt: skip
_FILE = Record.of(
    Key("at", Choice(tuple(_PLACES)), "where the step is taken"),
    Key("keys", MapOf(_KEY, "key"), "what a scenario may say of it"),
    Key("title", _TEXT, "what it is called"),
    Key("does", _TEXT, "what it does, in a few words"),
    Key("shapes", _TEXT, "what goes in and what comes out"),
    Key("happens", _SENTENCES, "what opens the working, with {key} for what is said of a key"),
    Key("why", _TEXT, "what it is for"),
    Key("more", _TEXT, "what a lesson adds"),
    Key("reads", _SIDES, "what the equations read, each with letters for its sides"),
    Key("adapts", _TEXT, "what of that is a given matrix, named by each record of the key, whose"
        " place the last quantity takes"),
    Key("equations", ListOf(_EQUATION), "what it makes"),
    Key("nouns", MapOf(_TEXT, "quantity"), "quantity → what a number of it is called, or a row"),
    Key("pictures", _TEXTS, "the kinds of its pictures"),
    Key("in_letters", _TREE, "what it is shown with in general: x, and what is said of its keys"),
    Key("example", _EXAMPLE, "what it is explained on"),
    Key("on_the_way", _FLAG, "whether a head shown in brief goes without it", default=False),
    Key("mistakes", MapOf(_MISTAKE, "mistake"), "common mistakes"),
    Key("backward", _BACKWARD, "how gradients go back through it"),
    needs=Needs("a step", _NEEDED, "{at: head, …}"),
)  # fmt: skip


def declared(name: str, text: str, source: str) -> Step[Any]:
    """Reads the step of a file's text. Raises ScenarioError for what is none."""
    problems = Diagnostics()
    said = _FILE.read(reading.tree_of_bytes(text.encode(), source, problems), problems) or {}
    problems.stop_if_any()
    return _Declared(name, said).step()


class _Made(NamedTuple):
    """What an equation makes: the operation by its numbers, and the names of what it reads."""

    name: str
    make: Maker
    numbers: tuple[str, ...]
    operands: tuple[str, ...]
    sides: tuple[str, ...]
    """The letters of its sides."""


class _Declared:
    """A step as its file declares it."""

    def __init__(self, name: str, said: KeyValues) -> None:
        self.name, self.said = name, said
        problems = Diagnostics()
        self.keys = {key: _key_of(key, value, problems) for key, value in said["keys"].items()}
        self.owners = {
            part: key for key, value in said["keys"].items() for part in value.get("parts", ())
        }
        self.each = next((k for k, value in said["keys"].items() if "each" in value), "")
        self.sides = {quantity: tuple(letters) for quantity, letters in said["reads"].items()}
        self.made = tuple(self.written(said["equations"], problems))
        self.wrong = {
            name: tuple(self.instead(mistake["instead"], problems))
            for name, mistake in said.get("mistakes", {}).items()
        }
        problems.stop_if_any()

    def written(self, equations: Sequence[Scalar], problems: Diagnostics) -> Iterator[_Made]:
        """Yields what the equations make, each of which may read what is above it."""
        for node in equations:
            target, _, value = node.text.partition("=")
            made = self.made_by(node, f"{target}= 0", value, len(target) + 1, problems)
            if made is not None:
                self.sides[made.name] = made.sides
                yield made

    def instead(self, texts: Mapping[str, Scalar], problems: Diagnostics) -> Iterator[_Made]:
        """Yields what a mistake makes otherwise."""
        for name, node in texts.items():
            made = self.made_by(node, f"{name}[i, j] = 0", node.text, 0, problems)
            if made is not None:
                yield made

    def made_by(
        self, node: Scalar, target: str, value: str, begins: int, problems: Diagnostics
    ) -> _Made | None:
        """Returns what an equation makes, whose right side begins at a place of its text; what is
        wrong with it goes to `problems`."""
        names, start = {*self.keys, *self.owners}, 0
        try:
            made = read_equation(target).target
            start = begins
            return _made_by(made, value, self.sides, names)
        except EquationError as wrong:
            problems.add(node.place.at(start + wrong.start), wrong.wrong, wrong.right)
        except SyntaxError as none:  # what an equation of a scenario may have, and this not
            what, _, right = none.msg.partition("; ")
            start += len(value) - len(value.lstrip())
            problems.add(node.place.at(start + (none.offset or 1) - 1), what, right)
        return None

    def step(self) -> Step[Any]:
        said = self.said
        letters = _numbers(said.get("in_letters", {}))
        x = letters.pop("x", "X")
        return Step(
            name=self.name,
            at=_PLACES[said["at"]],
            keys=tuple(self.keys.values()),
            check=self.check,
            words=Wording(
                title=said["title"],
                does=said["does"],
                shapes=said["shapes"],
                happens=self.happens,
                why=said["why"],
                more=said.get("more", ""),
            ),
            results=Results(
                names=tuple(made.name for made in self.made),
                nouns=said.get("nouns", {}),
                plan=self.plan,
                pictures=tuple(said.get("pictures", ())),
            ),
            formulas=Formulas(x=x, config=letters),
            example=_example(said.get("example", {})),
            prominence=Prominence(on_the_way=said.get("on_the_way", False)),
            mistakes=tuple(
                Mistake(name, mistake["says"], partial(self.ways, name))
                for name, mistake in said.get("mistakes", {}).items()
            ),
            backward=_backward(said["backward"]) if "backward" in said else None,
        )

    def check(self, place: Place) -> Objections:
        config = _config(place)
        for name, value in self.said["keys"].items():
            for other, (wrong, right) in _data(value.get("only_with", {})).items():
                if config.says(self.keys[name]) and other not in config.values:
                    yield config.at(self.keys[name]), wrong, right
        if "adapts" in self.said:
            for at in self.places(place):
                if not place.scenario.gives(matrix := _given(place, at)):
                    right = "name one by its full name"
                    yield at.path, f"{matrix} is no matrix that is given", right

    def happens(self, place: Place) -> str:
        values = self.values(place)
        told = []
        for sentence in self.said["happens"]:
            says, when = (sentence, {}) if isinstance(sentence, str) else (
                sentence["says"], sentence["when"]
            )  # fmt: skip
            if all(_word(values[key]) == word for key, word in when.items()):
                told.append(says.format(**values))
        return " ".join(told)

    def values(self, place: Place) -> KeyValues:
        """Returns what is said of each key at a place, and of the parts of its record."""
        config = _config(place)
        found: dict[str, Any] = {}
        for name, key in self.keys.items():
            found[name] = said = config.get(key)
            if name == self.each:
                said = (said or {}).get(place.path.local, {})
            if isinstance(said, Mapping) and isinstance(record := _record(key), Record):
                found |= {part.name: said.get(part.name, part.default) for part in record.keys}
        return found

    def places(self, place: Place) -> Iterator[Place]:
        """Yields the place of each record of the key that has several; else the place itself."""
        if not self.each:
            yield place
            return
        config, key = _config(place), self.keys[self.each]
        for text in config.get(key) or ():
            yield place.at(below(config.at(key), text))

    def plan(self, place: Place) -> Planned:
        return tuple(
            self.definition(made, at, values)
            for at in self.places(place)
            if self.is_said(values := self.values(at))
            for made in self.made
        )

    def is_said(self, values: KeyValues) -> bool:
        """Tells whether all keys are said that the equations read."""
        return all(values[name] is not None for name in self.needed)

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """Lists the keys that the equations read."""
        read = (name for made in self.made for name in (*made.numbers, *made.operands))
        owners = dict.fromkeys(self.owners.get(name, name) for name in read)
        return tuple(name for name in owners if name in self.keys)

    def definition(self, made: _Made, place: Place, values: KeyValues) -> Definition:
        """Defines what an equation makes at a place."""
        numbers = (Number.written(values[name]) for name in made.numbers)
        operands = tuple(self.operand(name, place) for name in made.operands)
        of_key = next((name for name in made.numbers if name in self.keys), None)
        is_last = "adapts" in self.said and made is self.made[-1]
        wire = _given(place, place) if is_last else ""
        definition = Definition(place.name(made.name), made.make(*numbers), operands, wire=wire)
        return definition._replace(blame=below(_path(place), of_key)) if of_key else definition

    def operand(self, name: str, place: Place) -> Name:
        """Returns the full name of what an equation reads."""
        if name == "x":
            return place.x
        if name == self.said.get("adapts"):
            return _given(place, place)
        if name in self.owners and not self.each:
            key = self.owners[name]
            return below(_config(place).at(self.keys[key]), name)
        return place.latest(name)

    def ways(self, mistake: str, place: Place, planned: Planned) -> Iterator[Planned]:
        """Yields the ways of a mistake: one for each quantity that it is in."""
        wrong = {made.name: made for made in self.wrong[mistake]}
        for definition in planned:
            local = definition.name.local
            if local in wrong:
                at = place.at(definition.name.path) if self.each else place
                made = self.definition(wrong[local], at, self.values(at))
                yield (definition._replace(operation=made.operation, operands=made.operands),)


def _word(value: object) -> str:
    """Returns a value as it is written in YAML."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _config(place: Place) -> Settings:
    return place.attention.config if isinstance(place, HeadPlace) else place.stack.config


def _path(place: Place) -> Name:
    return place.attention.path if isinstance(place, HeadPlace) else place.path


def _given(place: Place, at: Place) -> Name:
    """Returns the full name of the given matrix that the record at a place is called by."""
    from attncli.steps.quantizing import given_matrix

    return given_matrix(place, at.path.local)


# -- the keys of a file ----------------------------------------------------------------------------


def _key_of(name: str, said: KeyValues, problems: Diagnostics) -> Key[Any]:
    kind = _kind_of(said)
    if "parts" in said:
        parts = (_key_of(part, value, problems) for part, value in said["parts"].items())
        what = said.get("each", name)
        called = f"an adapted {what}" if "each" in said else name
        needs = Needs(called, tuple(said["needs"]), said["example"]) if "needs" in said else None
        kind = Record.of(*parts, needs=needs)
        kind = MapOf(kind, what) if "each" in said else kind
    default = kind.read(said["default"], problems) if "default" in said else None
    default = {} if "each" in said else default
    return Key(
        name, kind, said["says"], default, shared=said.get("shared", False),
        inherited=said.get("inherited", False),
    )  # fmt: skip


def _kind_of(said: KeyValues) -> Kind[object]:
    kind = said.get("kind", "number")
    return _KINDS[kind] if isinstance(kind, str) else Choice(kind)


def _record(key: Key[object]) -> object:
    return key.kind.kind if isinstance(key.kind, MapOf) else key.kind


def _backward(said: KeyValues) -> Backward[Place]:
    back: Backward[Place] = Backward(said["through"], said["why"], said.get("more", ""))
    back = back._replace(fixed=tuple(said.get("fixed", ())))
    return back._replace(example=_example(said["example"])) if "example" in said else back


def _example(said: KeyValues) -> Example:
    return Example(said.get("scenario", ""), tuple(said.get("changes", ())))


def _data(node: object) -> Any:  # noqa: ANN401
    return data_of(node) if isinstance(node, Map | Items) else node


def _numbers(node: object) -> dict[str, Any]:
    """Returns what a map says, with its numbers as such."""

    def number(value: object) -> object:
        if isinstance(value, Mapping):
            return {key: number(inner) for key, inner in value.items()}
        is_number = str(value).replace(".", "", 1).isdigit()
        return Decimal(str(value)) if is_number else value

    return {key: number(value) for key, value in _data(node).items()}


# -- equations -------------------------------------------------------------------------------------


def _made_by(
    target: Target | FunctionTarget,
    text: str,
    sides: Mapping[str, Sequence[str]],
    numbers: Collection[str],
) -> _Made:
    """Returns what an equation makes, of the text of its right side. Raises EquationError for what
    no step of ours can say."""
    if not isinstance(target, Target):
        raise EquationError("a function of one's own", "write it out", 0)
    parts = [*walk(read_value(text))]
    cells = [part for part in parts if isinstance(part, Cell)]
    bounds = [bound for part in parts if isinstance(part, OverIndices) for bound in part.bounds]
    along = _along(cells, (*target.bounds, *bounds), sides)
    for bound in sorted(bounds, key=lambda bound: bound.start, reverse=True):
        end = bound.start + len(bound.name)
        text = f"{text[:end]} in {along[bound.name]}{text[end:]}"
    of_side = {letter: name for name, own in reversed([*sides.items()]) for letter in own}
    known = {*sides, *of_side, *numbers, *along, "pi"}
    named = [part for part in parts if isinstance(part, Cell | Reference)]
    for part in named:
        if part.name not in known:
            wrong = f"nothing is called {part.name}"
            raise EquationError(wrong, nearest(part.name, known), part.start)
    names = (part.name for part in named)
    read = (name if name in sides else of_side.get(name, "") for name in names)
    operands = tuple(dict.fromkeys(filter(None, read)))
    indices = tuple(bound.name for bound in target.bounds)
    # told without indices, where all have the same
    is_alike = all(tuple(place.name for place in cell.places) == indices for cell in cells)
    shapes = tuple((name, " ".join(sides[name])) for name in operands)
    written = EquationText(text.strip(), shapes, Indexed, "", is_alike, "", (target.name, 1))
    own = tuple(along[index] for index in indices)
    return _Made(target.name, operation_of(written), written.names, operands, own)


def _along(
    cells: Sequence[Cell], bounds: Sequence[Bound], sides: Mapping[str, Sequence[str]]
) -> Mapping[str, str]:
    """Returns the side that each index goes along, as the cells say. Raises EquationError where
    they don't fit."""
    along: dict[str, str] = {}
    for cell in cells:
        if cell.name not in sides:
            raise EquationError(
                f"nothing is called {cell.name}", nearest(cell.name, sides), cell.start
            )
        letters = [letter for letter in sides[cell.name] if letter != "1"]
        if len(letters) != len(cell.places):
            wrong = f"{cell.name} has {len(letters)} sides, here {len(cell.places)}"
            raise EquationError(wrong, f"its sides are {', '.join(letters)}", cell.start)
        along |= {place.name: letter for place, letter in zip(cell.places, letters, strict=True)}
    for bound in bounds:
        if bound.name not in along:
            raise EquationError(f"nothing says how far {bound.name} goes", "read it somewhere", 0)
    return along
