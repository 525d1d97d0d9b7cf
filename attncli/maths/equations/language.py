"""The language in which people write equations: a text is read into its parts, each with its place.

    equation    = target "=" choice
    target      = name [ "[" bound { "," bound } "]" ]  |  name "(" name { "," name } ")"
    bound       = index [ "in" side ]
    choice      = sum [ "if" condition "else" choice ]
    condition   = both { "or" both }
    both        = comparison { "and" comparison }
    comparison  = sum relation sum { relation sum }
    relation    = "<" | "<=" | ">" | ">=" | "==" | "!="
    sum         = product { ( "+" | "-" ) product }
    product     = factor { ( "*" | "/" ) factor }
    factor      = "-" factor | atom [ ( "**" | "^" ) factor ]
    atom        = number | name | cell | call | "(" choice ")"
    cell        = name "[" place { "," place } "]"
    place       = index [ ( "+" | "-" ) whole ] | whole | "last"
    call        = name "(" choice { "," choice } ")"
                | name "(" choice "for" bound { "for" bound } [ "if" condition ] [ "," choice ] ")"

What the names mean isn't known here. Nothing is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Generic, NamedTuple, NoReturn, TypeAlias, TypeVar, cast

from attncli.maths.equations import elsewhere

_T = TypeVar("_T")

LONGEST = 4_000
"""The most characters of an equation; a page couldn't show it."""
_LONGEST_PLACE = 6
"""The most digits of a place."""
_DEEPEST = 40
"""The most parentheses and signs inside each other."""
_MOST_IN_A_ROW = 60
"""The most numbers, conditions or indices with the same signs between them."""


class EquationError(ValueError):
    """The error of an equation: what is wrong, what would be right, and where, in characters from
    0."""

    def __init__(self, wrong: str, right: str, start: int) -> None:
        self.wrong, self.right, self.start = wrong, right, start
        super().__init__(f"{wrong}; {right}")


class Literal(NamedTuple):
    """A number as it is written."""

    text: str
    start: int


class Reference(NamedTuple):
    """A name by itself: of a number, an index, a side or a parameter."""

    name: str
    start: int


class IndexedPlace(NamedTuple):
    """A place along one side: an index, perhaps with a number or a length added; a number; or
    `last`."""

    name: str
    """The index, or `last`; empty where a number stands alone."""
    shift: int
    """What is added to the index, or the number that stands alone; times a length, where `side`
    says one."""
    start: int
    side: str = ""
    """The side whose length is added."""


class Cell(NamedTuple):
    """A cell of an array: `S[t - 1, k, j]`."""

    name: str
    places: tuple[IndexedPlace, ...]
    start: int


class Call(NamedTuple):
    """A function of numbers: `exp(x)`, `max(a, b)`."""

    function: str
    arguments: tuple[Part, ...]
    start: int


class Bound(NamedTuple):
    """An index that something is done over or made for, and its side where that is said."""

    name: str
    side: str
    start: int


class OverIndices(NamedTuple):
    """A function of all numbers along some indices: `sum(… for k if k < i)`."""

    function: str
    operand: Part
    bounds: tuple[Bound, ...]
    condition: Condition | None
    """What must hold for a number to take part."""
    extra: Part | None
    """What stands behind the comma."""
    start: int


class Minus(NamedTuple):
    """A number with the other sign."""

    operand: Part
    start: int


class Binary(NamedTuple):
    """Two numbers with a sign between them: + - * / **."""

    sign: str
    left: Part
    right: Part
    start: int
    """Where the sign stands."""


class ComparedNumbers(NamedTuple):
    """Two numbers with a relation between them: < <= > >= == !=."""

    relation: str
    left: Part
    right: Part
    start: int
    """Where the relation stands."""


class All(NamedTuple):
    """Conditions of which each must hold."""

    parts: tuple[Condition, ...]
    start: int


class Some(NamedTuple):
    """Conditions of which one must hold."""

    parts: tuple[Condition, ...]
    start: int


class ChosenNumber(NamedTuple):
    """One of two numbers, by a condition."""

    condition: Condition
    then: Part
    otherwise: Part
    start: int


Condition: TypeAlias = "ComparedNumbers | All | Some"
Part: TypeAlias = "Literal | Reference | Cell | Call | OverIndices | Minus | Binary | ChosenNumber"
Piece: TypeAlias = "Part | Condition"


class Target(NamedTuple):
    """What an equation makes: an array with a side for each index."""

    name: str
    bounds: tuple[Bound, ...]
    start: int


class FunctionTarget(NamedTuple):
    """A function of numbers that an equation defines: `phi(x) = …`."""

    name: str
    parameters: tuple[Reference, ...]
    start: int


class WrittenEquation(NamedTuple):
    """An equation as its author wrote it."""

    target: Target | FunctionTarget
    value: Part
    text: str


_PIECES = (
    Literal,
    Reference,
    Cell,
    Call,
    OverIndices,
    Minus,
    Binary,
    ChosenNumber,
    ComparedNumbers,
    All,
    Some,
)
_P = TypeVar("_P", bound=Piece)


def parts_of(part: Piece) -> list[Piece]:
    """Lists the parts that a part is made of, from left to right; of a leaf, none."""
    several = (value if type(value) is tuple else (value,) for value in part)
    return [inner for values in several for inner in values if isinstance(inner, _PIECES)]


def rewritten(part: _P, change: Callable[[Piece], Piece | None]) -> _P:
    """Replaces parts of a part, from the outside in; `change` returns None where its own parts are
    to be looked at."""
    new = change(part)
    if new is not None:
        return cast(_P, new)

    def inside(value: object) -> object:
        if type(value) is tuple:
            return tuple(map(inside, value))
        return rewritten(value, change) if isinstance(value, _PIECES) else value

    return cast(_P, type(part)._make(map(inside, part)))


def walk(part: Piece) -> Iterator[Piece]:
    """Yields a part and all parts in it, outer ones before those inside them."""
    waiting = [part]
    while waiting:
        waiting += reversed(parts_of(found := waiting.pop()))
        yield found


def at_place(part: _P, index: str, at: int) -> _P:
    """Puts a number from 1 in the place of an index."""

    def change(inner: Piece) -> Piece | None:
        if isinstance(inner, Reference) and inner.name == index:
            return Literal(str(at), inner.start)
        if not isinstance(inner, Cell) or all(place.name != index for place in inner.places):
            return None
        places = (
            IndexedPlace("", at + place.shift, place.start) if place.name == index else place
            for place in inner.places
        )
        return inner._replace(places=tuple(places))

    return rewritten(part, change)


_Made = TypeVar("_Made")
_RULES = {kind: re.sub("(?=[A-Z])", "_", f"of{kind.__name__}").lower() for kind in _PIECES}


class Rules(Generic[_Made]):
    """What makes something of a part of an equation, by a rule for each kind: `of_cell` for a
    `Cell`."""

    def of(self, part: Piece) -> _Made:
        """Applies the rule of a part."""
        rule: Callable[[Piece], _Made] = getattr(self, _RULES[type(part)])
        return rule(part)

    def each(self, parts: Iterable[Piece]) -> tuple[_Made, ...]:
        """Applies the rules of several parts."""
        return tuple(map(self.of, parts))


_MOST_LEVELS = 100
"""The most parts inside each other, each of which makes the working longer."""
_MOST_PARTS = 3_000


def check_depth(value: Part, start: int) -> None:
    """Raises EquationError for a value whose parts are inside each other more often than can be
    told, or too many."""
    waiting: list[tuple[Piece, int]] = [(value, 1)]
    count = 0
    while waiting:
        part, level = waiting.pop()
        count += 1
        if level > _MOST_LEVELS or count > _MOST_PARTS:
            wrong = f"an equation of more than {_MOST_PARTS:,} parts, or {_MOST_LEVELS} levels"
            raise EquationError(wrong, "make an equation of a part of it", start)
        waiting += [(inner, level + 1) for inner in parts_of(part)]


def read_equation(text: str) -> WrittenEquation:
    """Reads an equation. Raises EquationError for any other text."""
    return _EquationReader(text).equation()


def read_value(text: str) -> Part:
    """Reads what may stand right of an equation's sign. Raises EquationError for any other text."""
    whole = _EQUATION.match(text)
    if whole:
        right = f"write what stands right of the =, without {whole[0].strip()}"
        raise EquationError("an equation where its right side belongs", right, whole.start(1))
    return _EquationReader(text).value_alone()


def read_bound(text: str) -> Bound:
    """Reads an index, perhaps with its side: `t in round`. Raises EquationError for any other
    text."""
    reader = _EquationReader(text)
    bound = reader.bound()
    if reader.next.kind != "end":
        reader.refuse("write an index, and perhaps its side: t in round")
    return bound


# --------------------------------------------------------------------------------------------------

_TARGET = re.compile(r"\s*([^\W\d]\w*)")


_EQUATION = re.compile(r"\s*([^\W\d]\w*\s*(?:\[[^\[\]]*\])?\s*=)(?!=)")


def made_by(text: str) -> str:
    """Returns the name of what an equation would make that can't be read; empty for none."""
    found = _TARGET.match(text)
    return found[1] if found else ""


_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/^()\[\],<>=])|(?P<end>$)|(?P<other>.))",
    re.DOTALL,
)
_ALIKE = {
    "−": "-",
    "–": "-",
    "×": "*",
    "·": "*",
    "⊙": "*",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "^": "**",
}
"""Signs of print for those of a keyboard."""
_WRITABLE = "write numbers, names, + - * / ** ( ) [ ] and ,"
WORDS = frozenset({"for", "in", "if", "else", "and", "or", "last", "not"})
_RELATIONS = ("<", "<=", ">", ">=", "==", "!=")
_SIGNS = ("+", "-", "*", "/", "**")
_A_PLACE = (
    "write an index as i, i + 1, i - 1, i + d with the length of a side d, or as a number from 1,"
    " or last"
)


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while True:
        found = _TOKEN.match(text, at)
        assert found is not None
        assert found.lastgroup is not None
        kind, word, start = found.lastgroup, found[found.lastgroup], found.start(found.lastgroup)
        if word in _ALIKE:
            kind, word = "sign", _ALIKE[word]
        if kind == "other":
            raise _meaningless(text, word, start)
        yield _Token("word" if word in WORDS else kind, word, start)
        if kind == "end":
            return
        at = found.end()


def _meaningless(text: str, sign: str, start: int) -> EquationError:
    """Makes the error of a sign that equations don't have."""
    before, behind = text[:start].rstrip()[-1:], _TARGET.match(text[start + 1 :])
    if sign in "\"'" and (before.isalnum() or before == "]"):
        right = elsewhere.BEHIND_A_DOT["T"]
        return EquationError(f"{sign} has no meaning", right, start)
    if sign in "\"'":
        return EquationError("a text can't stand in an equation", _WRITABLE, start)
    right = elsewhere.SIGNS.get(sign, _WRITABLE)
    if sign == "." and behind:
        name = behind[1]
        right = elsewhere.BEHIND_A_DOT.get(name, f"write {name} alone, without what is before it")
    return EquationError(f"{sign} has no meaning", right, start)


_REFUSED: Mapping[tuple[str, ...], tuple[str, str]] = {
    ("=",): ("= says what something is", "write == to compare"),
    ("not",): ("not can't stand here", "write the other relation, such as != for =="),
    ("for",): ("for can't stand here", "say what is made: sum(… for k)"),
    ("if",): ("if can't stand here", "write a choice as 1 if x < 2 else 0"),
    ("else", "if"): ("if can't stand here", "write what it is first: else 1 if x < 2 else 0"),
    ("]", "["): ("[ can't stand behind ]", "write all places in one: X[i, j]"),
    (")", "["): (
        "[ can't stand behind )",
        "make an equation of what is before it, and read a cell of that",
    ),
    ("[",): ("a list can't stand here", "give it beside given, and its name here"),
    ("/", "/"): ("// has no meaning", elsewhere.SIGNS["%"]),
}
"""What is wrong with a token, behind another one or anywhere, and what would be right."""


class _EquationReader:
    """A reader of one text, a token at a time."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            wrong = f"an equation of {len(text):,} characters"
            raise EquationError(wrong, f"write several, of at most {LONGEST:,}", 0)
        self.text = text
        self.tokens = list(_tokens(text))
        self.at = self.depth = 0

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def takes(self, *texts: str) -> _Token | None:
        """Takes the next token if it is one of these."""
        token = self.next
        if token.kind in ("sign", "word") and token.text in texts:
            self.at += 1
            return token
        return None

    def must(self, text: str, where: str) -> _Token:
        token = self.takes(text)
        if token is None:
            self.refuse(f"write {text} {where}")
        return token

    def refuse(self, right: str) -> NoReturn:
        """Raises the error of a token that can't stand where it does."""
        token = self.next
        if token.kind == "end":
            raise EquationError("the equation ends too early", right, len(self.text.rstrip()))
        before = [one.text for one in self.tokens[max(0, self.at - 2) : self.at]]
        known = _REFUSED.get((*before[-1:], token.text)) or _REFUSED.get((token.text,))
        wrong, right = known or (f"{token.text} can't stand here", right)
        if token.text == "=" and before[:1] == [","]:
            wrong, right = f"{before[1]} can't be named", "say over what: softmax(… for j)"
        raise EquationError(wrong, right, token.start)

    def name(self, what: str) -> _Token:
        token = self.next
        if token.kind != "name":
            if token.kind == "word":
                wrong = f"{token.text} is a word of equations"
                raise EquationError(wrong, f"call {what} otherwise", token.start)
            self.refuse(f"name {what}")
        self.at += 1
        return token

    def several(self, read: Callable[[], _T], close: str) -> tuple[_T, ...]:
        """Reads parts with commas between them, up to a closing sign."""
        found = [read()]
        while self.takes(","):
            self.check_length(len(found) + 1)
            found.append(read())
        if self.takes(close) is None:
            self.refuse_open(close)
        return tuple(found)

    def refuse_open(self, close: str) -> NoReturn:
        """Raises the error of what isn't closed where it has to be."""
        token, opens = self.next, "[" if close == "]" else "("
        if token.kind == "end":
            self.refuse(f"write {close} to close what {opens} opens")
        if close == "]" and token.text in _SIGNS:
            self.refuse(_A_PLACE)
        last = self.tokens[self.at - 1].text
        wrong = f"{opens} is still open at {token.text}"
        right = f"write {close} behind {last}, before {token.text}"
        if token.kind in ("name", "number"):
            right = f"write a comma behind {last}, or {close}"
        raise EquationError(wrong, right, token.start)

    def refuse_after(self, right: str) -> NoReturn:
        """Raises the error of a token that can't follow a part."""
        token, before = self.next, self.tokens[self.at - 1]
        if token.kind in ("name", "number") and before.kind == "name":
            one, other = before.text, token.text
            wrong = f"{other} can't stand behind {one}"
            right = f"write a sign between them, {one}[ for a cell, or {one}( for a function"
            raise EquationError(wrong, right, token.start)
        if before.kind == "number" and (token.kind in ("name", "number") or token.text in "(,"):
            self.refuse_behind_number(before, token)
        if token.text in (")", "]"):
            opens = "(" if token.text == ")" else "["
            wrong = f"{token.text} closes nothing"
            raise EquationError(wrong, f"leave it out, or write {opens} before", token.start)
        if token.text in _RELATIONS:
            wrong = "numbers are compared where nothing is chosen"
            raise EquationError(
                wrong, "compare behind if, without ( ): 1 if x < 2 else 0", token.start
            )
        self.refuse(right)

    def refuse_behind_number(self, number: _Token, token: _Token) -> NoReturn:
        """Raises the error of what stands right behind a number: a part of it, or a factor."""
        behind = self.tokens[self.at + 1] if token.text == "," else token
        wrong = f"{token.text} can't stand behind {number.text}"
        if behind.kind != "number":
            right = f"write {number.text} * {'(' if token.text == '(' else token.text}"
        elif token.text == ",":
            right = f"write a decimal point: {number.text}.{behind.text}"
        else:
            right = "write one number without a space, or a sign between two"
        raise EquationError(wrong, right, token.start)

    def check_length(self, count: int) -> None:
        """Raises EquationError for more parts in a row than a page can show."""
        if count > _MOST_IN_A_ROW:
            wrong = f"more than {_MOST_IN_A_ROW} parts in a row"
            raise EquationError(wrong, "make an equation of some of them", self.next.start)

    def inside(self, read: Callable[[], _T]) -> _T:
        """Reads a part inside another one. Raises EquationError where that is too deep."""
        self.depth += 1
        if self.depth > _DEEPEST:
            wrong = f"more than {_DEEPEST} parentheses and signs inside each other"
            raise EquationError(wrong, "make an equation of a part of it", self.next.start)
        part = read()
        self.depth -= 1
        return part

    # -- equations ---------------------------------------------------------------------------------

    def equation(self) -> WrittenEquation:
        first = self.next
        if first.kind == "sign" and first.text == "=":
            raise EquationError("nothing stands before =", "name what this makes", first.start)
        if first.kind in ("sign", "number"):
            wrong = f"{first.text} begins no equation"
            right = "write what it makes and how, z[i] = sum(X[i, k] for k)"
            raise EquationError(wrong, right, first.start)
        target = self.target()
        is_alone = self.at == 1
        if self.next.kind == "name" and is_alone:
            wrong = f"{self.next.text} can't stand behind {target.name}"
            right = f"write a name as one word, {target.name}_{self.next.text}, or = behind it"
            raise EquationError(wrong, right, self.next.start)
        if self.next.text == "==":
            raise EquationError("== compares", "write = to say what something is", self.next.start)
        self.must("=", f"behind {target.name}, and what it is")
        return WrittenEquation(target, self.value_alone(), self.text)

    def value_alone(self) -> Part:
        value = self.choice()
        if self.next.kind != "end":
            self.refuse_after("write a sign before it, or end the equation here")
        check_depth(value, 0)
        return value

    def target(self) -> Target | FunctionTarget:
        name = self.name("what the equation makes")
        if self.takes("["):
            return Target(name.text, self.several(self.bound, "]"), name.start)
        if self.takes("("):
            return FunctionTarget(name.text, self.several(self.parameter, ")"), name.start)
        return Target(name.text, (), name.start)

    def parameter(self) -> Reference:
        token = self.name("a number that the function is of")
        return Reference(token.text, token.start)

    def bound(self) -> Bound:
        if self.next.kind == "number":
            wrong = f"{self.next.text} where an index belongs"
            raise EquationError(wrong, "an equation makes all cells: write i", self.next.start)
        bound = self.index_and_side()
        if self.next.text in ("+", "-"):
            right = f"write {bound.name} here, and shift what is read"
            raise EquationError("an index is shifted in what is made", right, self.next.start)
        return bound

    def index_and_side(self) -> Bound:
        index = self.name("an index")
        side = self.side() if self.takes("in") else ""
        return Bound(index.text, side, index.start)

    def side(self) -> str:
        token = self.next
        if token.kind == "number" or self.tokens[self.at + 1 : self.at + 2][0].text == "(":
            right = "name one, such as i in n, beside sizes: {n: 3}; or leave it out"
            raise EquationError("an index goes along a side", right, token.start)
        return self.name("the side that it goes along").text

    def choice(self) -> Part:
        then = self.sum()
        start = self.takes("if")
        if start is None:
            return then
        condition = self.condition()
        self.must("else", "and what it is otherwise")
        return ChosenNumber(condition, then, self.inside(self.choice), start.start)

    def condition(self) -> Condition:
        parts, start = [self.both()], self.next.start
        while self.takes("or"):
            self.check_length(len(parts) + 1)
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else Some(tuple(parts), start)

    def both(self) -> Condition:
        parts, start = [*self.comparison()], self.next.start
        while self.takes("and"):
            self.check_length(len(parts) + 1)
            parts += self.comparison()
        return parts[0] if len(parts) == 1 else All(tuple(parts), start)

    def comparison(self) -> Iterator[Condition]:
        left = self.sum()
        if self.next.text not in _RELATIONS:
            self.refuse("compare two numbers: < <= > >= == !=")
        count = 1
        while relation := self.takes(*_RELATIONS):
            count += 1
            self.check_length(count)
            right = self.sum()
            yield ComparedNumbers(relation.text, left, right, relation.start)
            left = right

    def sum(self) -> Part:
        return self.chain(self.product, "+", "-")

    def product(self) -> Part:
        return self.chain(self.factor, "*", "/")

    def chain(self, read: Callable[[], Part], *signs: str) -> Part:
        part, count = read(), 1
        while sign := self.takes(*signs):
            count += 1
            self.check_length(count)
            part = Binary(sign.text, part, read(), sign.start)
        return part

    def factor(self) -> Part:
        minus = self.takes("-")
        if minus:
            return Minus(self.inside(self.factor), minus.start)
        base = self.atom()
        power = self.takes("**")
        return Binary("**", base, self.inside(self.factor), power.start) if power else base

    def atom(self) -> Part:
        token = self.next
        if token.kind == "number":
            self.at += 1
            return Literal(token.text, token.start)
        if token.kind == "name":
            self.at += 1
            if self.takes("["):
                return Cell(token.text, self.several(self.place, "]"), token.start)
            return self.call(token) if self.takes("(") else Reference(token.text, token.start)
        if not self.takes("("):
            self.refuse("write a number, a name, a cell such as X[i, j], or ( )")
        part = self.inside(self.choice)
        if not self.takes(")"):
            self.refuse_after("write ) to close what ( opens")
        return part

    def place(self) -> IndexedPlace:
        start = self.next.start
        if self.takes("last"):
            return IndexedPlace("last", 0, start)
        if self.next.kind == "number":
            return IndexedPlace("", self.whole(), start)
        if self.next.text in _SIGNS:
            self.refuse(_A_PLACE)
        index = self.name("an index, a number or last")
        sign = self.takes("+", "-")
        side = self.name("a side").text if sign and self.next.kind == "name" else ""
        if self.next.text in ("[", "("):
            wrong = "a place is an index, perhaps with a number added"
            raise EquationError(wrong, elsewhere.BY_VALUE, index.start)
        if sign is None:
            return IndexedPlace(index.text, 0, start)
        shift = 1 if side else self.whole()
        return IndexedPlace(index.text, -shift if sign.text == "-" else shift, start, side)

    def whole(self) -> int:
        token = self.next
        if token.kind != "number" or not token.text.isdecimal() or len(token.text) > _LONGEST_PLACE:
            self.refuse("write a whole number such as 1")
        self.at += 1
        return int(token.text)

    def call(self, name: _Token) -> Part:
        if self.next.text == ")":
            right = elsewhere.FUNCTIONS.get(name.text, f"write what {name.text} is of")
            raise EquationError(f"{name.text} of nothing", right, name.start)
        first = self.inside(self.choice)
        if self.next.text in _RELATIONS and name.text in elsewhere.FUNCTIONS:
            right = elsewhere.FUNCTIONS[name.text]
            raise EquationError(f"no function is called {name.text}", right, name.start)
        if self.next.text == "for":
            return self.over_indices(name, first)
        arguments = [first]
        while self.takes(","):
            self.check_length(len(arguments) + 1)
            arguments.append(self.inside(self.choice))
        if not self.takes(")"):
            self.refuse_after(f"write ) to close what {name.text}( opens")
        return Call(name.text, tuple(arguments), name.start)

    def over_indices(self, name: _Token, operand: Part) -> Part:
        bounds: list[Bound] = []
        while self.takes("for"):
            self.check_length(len(bounds) + 1)
            bounds.append(self.index_and_side())
        if self.next.text == "=":
            index = bounds[-1].name
            right = f"write for {index}, with if {index} == … where only some take part"
            raise EquationError("an index goes along all of a side", right, self.next.start)
        if self.next.text not in ("if", ",", ")"):
            self.refuse_open(")")
        condition = self.condition() if self.takes("if") else None
        extra = self.inside(self.choice) if self.takes(",") else None
        if not self.takes(")"):
            self.refuse_after(f"write ) to close what {name.text}( opens")
        return OverIndices(name.text, operand, tuple(bounds), condition, extra, name.start)
