"""Random equations, each drawn with what it comes to: the text that a scenario has, and plain Python on
floats, which shares nothing with the package."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Places = Mapping[str, int]
"""The places that indices are at, from 1."""
Truth = Callable[[Places], float]
Array = NDArray[np.float64]


class Part(NamedTuple):
    """A part of an equation, in parentheses where it needs some, and what it comes to."""

    text: str
    value: Truth


_ONE_NUMBER: dict[str, tuple[str, Callable[[float], float]]] = {
    "tanh": ("tanh({})", math.tanh),
    "sin": ("sin({})", math.sin),
    "cos": ("cos({})", math.cos),
    "erf": ("erf({})", math.erf),
    "abs": ("abs({})", abs),
    "relu": ("relu({})", lambda x: max(x, 0.0)),
    "sigmoid": ("sigmoid({})", lambda x: 1 / (1 + math.exp(-x)) if x > -700 else 0.0),
    "softplus": ("softplus({})", lambda x: max(x, 0.0) + math.log1p(math.exp(-abs(x)))),
    "exp": ("exp(-abs({}))", lambda x: math.exp(-abs(x))),
    "ln": ("ln(1 + abs({}))", lambda x: math.log1p(abs(x))),
    "sqrt": ("sqrt(abs({}))", lambda x: math.sqrt(abs(x))),
    "root": ("(1 + abs({})) ** 0.5", lambda x: math.sqrt(1 + abs(x))),
    "inverse": ("1 / (1 + {} ** 2)", lambda x: 1 / (1 + x * x)),
    "square": ("{} ** 2", lambda x: x * x),
    "minus": ("-{}", lambda x: -x),
}
_RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def _always(_: Places) -> bool:
    return True


_LETTERS = {"n": "ikmpu", "d": "jlqrw"}
"""The indices that go along a side, of which an equation has one length each."""


@dataclass
class Drawing:
    """A scenario that is drawn: sides, what is given, equations, and what these make."""

    random: Random
    sides: dict[str, int] = field(default_factory=dict)
    arrays: dict[str, tuple[tuple[str, ...], Array]] = field(default_factory=dict)
    """What is given or made, with the names of its sides."""
    given: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sides = {"n": self.random.randint(2, 3), "d": self.random.randint(1, 3)}
        for name in ("A", "B", "c")[: self.random.randint(1, 3)]:
            sides = self.random.choice((("n", "d"), ("n", "n"), ("d",), ("n",), ()))
            self._give(name, sides)
        if not any(sides for sides, _ in self.arrays.values()):
            self._give("D", ("n", "d"))

    def _give(self, name: str, sides: tuple[str, ...]) -> None:
        places = self.random.choice((0, 1, 2))
        shape = [self.sides[side] for side in sides]
        flat = [round(self.random.uniform(-3, 3), places) + 0.0 for _ in range(math.prod(shape))]
        self.arrays[name] = sides, np.array(flat).reshape(shape)
        named = f"{name}[{', '.join(sides)}]" if sides else name
        self.given.append(f"  {named}: {self.arrays[name][1].tolist()}")

    # -- parts -------------------------------------------------------------------------------------

    def leaf(self, scope: Mapping[str, str]) -> Part:
        kind = self.random.random()
        if kind < 0.7:
            return self._cell(scope)
        if kind < 0.8 and scope:
            index = self.random.choice(sorted(scope))
            return Part(index, lambda at: at[index])
        if kind < 0.85:
            side = self.random.choice(sorted(self.sides))
            return Part(side, lambda _: self.sides[side])
        number = self.random.choice(("2", "0.5", "3", "1.25", "0.1"))
        return Part(number, lambda _: float(number))

    def _cell(self, scope: Mapping[str, str]) -> Part:
        name = self.random.choice(sorted(self.arrays))
        sides, array = self.arrays[name]
        if not sides:
            return Part(name, lambda _: float(array))
        texts: list[str] = []
        places: list[Callable[[Places], int]] = []
        for side in sides:
            fitting = sorted(x for x, its in scope.items() if its == side)
            if fitting and self.random.random() < 0.9:
                index = self.random.choice(fitting)
                texts.append(index)
                places.append(lambda at, index=index: at[index])  # type: ignore[misc]
            else:
                place = self.random.randint(1, self.sides[side])
                is_last = place == self.sides[side] and self.random.random() < 0.5
                texts.append("last" if is_last else str(place))
                places.append(lambda _, place=place: place)  # type: ignore[misc]
        return Part(
            f"{name}[{', '.join(texts)}]",
            lambda at: float(array[tuple(place(at) - 1 for place in places)]),
        )

    def part(self, scope: Mapping[str, str], depth: int) -> Part:
        if depth == 0:
            return self.leaf(scope)
        draw = self.random.choice(
            [self._sum, self._product, self._function, self._over] * 2
            + [self._quotient, self._power, self._choice, self._of_two]
        )
        return draw(scope, depth - 1)

    def _inner(self, scope: Mapping[str, str], depth: int) -> Part:
        """A part that goes with any sign."""
        part = self.part(scope, depth)
        return part if part.text.isalnum() else Part(f"({part.text})", part.value)

    def _sum(self, scope: Mapping[str, str], depth: int) -> Part:
        a, b = self._inner(scope, depth), self._inner(scope, depth)
        if self.random.random() < 0.5:
            return Part(f"{a.text} + {b.text}", lambda at: a.value(at) + b.value(at))
        return Part(f"{a.text} - {b.text}", lambda at: a.value(at) - b.value(at))

    def _product(self, scope: Mapping[str, str], depth: int) -> Part:
        a, b = self._inner(scope, depth), self._inner(scope, depth)
        return Part(f"{a.text} * {b.text}", lambda at: a.value(at) * b.value(at))

    def _quotient(self, scope: Mapping[str, str], depth: int) -> Part:
        a, b = self._inner(scope, depth), self._inner(scope, depth)
        if self.random.random() < 0.3:
            return Part(f"{a.text} / 3", lambda at: a.value(at) / 3)
        return Part(
            f"{a.text} / (2 + abs({b.text}))", lambda at: a.value(at) / (2 + abs(b.value(at)))
        )

    def _function(self, scope: Mapping[str, str], depth: int) -> Part:
        text, function = self.random.choice(list(_ONE_NUMBER.values()))
        a = self._inner(scope, depth)
        return Part(text.format(a.text), lambda at: function(a.value(at)))

    def _power(self, scope: Mapping[str, str], depth: int) -> Part:
        a = self._inner(scope, depth)
        if scope and self.random.random() < 0.3:
            index, base = (
                self.random.choice(sorted(scope)),
                self.random.choice(("2", "0.5", "(-1)")),
            )
            number = float(base.strip("()"))
            return Part(f"{base} ** {index}", lambda at: number ** at[index])
        if self.random.random() < 0.4:
            return Part(f"{a.text} ** 3", lambda at: a.value(at) ** 3)
        if self.random.random() < 0.5:
            return Part(f"(1 + abs({a.text})) ** (-1)", lambda at: 1 / (1 + abs(a.value(at))))
        b = self.leaf(scope)
        return Part(
            f"(1 + abs({a.text})) ** {b.text}", lambda at: (1 + abs(a.value(at))) ** b.value(at)
        )

    def _of_two(self, scope: Mapping[str, str], depth: int) -> Part:
        a, b = self.part(scope, depth), self.part(scope, depth)
        if self.random.random() < 0.5:
            return Part(f"max({a.text}, {b.text})", lambda at: max(a.value(at), b.value(at)))
        return Part(f"min({a.text}, {b.text})", lambda at: min(a.value(at), b.value(at)))

    def _condition(self, scope: Mapping[str, str]) -> tuple[str, Callable[[Places], bool]]:
        a, b = self.leaf(scope), self.leaf(scope)
        sign = self.random.choice(sorted(_RELATIONS))
        holds = _RELATIONS[sign]
        if self.random.random() < 0.25:
            text, other = self._condition(scope)
            if " or " not in text and self.random.random() < 0.5:  # and binds tighter
                both = lambda at: holds(a.value(at), b.value(at)) and other(at)  # noqa: E731
                return f"{a.text} {sign} {b.text} and {text}", both
            some = lambda at: holds(a.value(at), b.value(at)) or other(at)  # noqa: E731
            return f"{a.text} {sign} {b.text} or {text}", some
        return f"{a.text} {sign} {b.text}", lambda at: holds(a.value(at), b.value(at))

    def _choice(self, scope: Mapping[str, str], depth: int) -> Part:
        a, b, (text, holds) = (
            self._inner(scope, depth),
            self._inner(scope, depth),
            self._condition(scope),
        )
        return Part(
            f"{a.text} if {text} else {b.text}",
            lambda at: a.value(at) if holds(at) else b.value(at),
        )

    def _over(self, scope: Mapping[str, str], depth: int) -> Part:
        side, function = self.random.choice(sorted(self.sides)), self.random.choice(sorted(_OVER))
        index = next(x for x in _LETTERS[side] if x not in scope)
        inner = {**scope, index: side}
        operand = self.part(inner, depth)
        text = ""
        holds: Callable[[Places], bool] = _always
        if function in ("sum", "prod") and self.random.random() < 0.5:
            text, holds = self._condition(inner)
        elif self.random.random() < 0.3 and (
            fitting := [x for x, its in scope.items() if its == side]
        ):
            other = self.random.choice(sorted(fitting))
            text = f"{index} <= {other}"
            holds = lambda at: at[index] <= at[other]  # noqa: E731
        where = f" if {text}" if text else ""

        def value(at: Places) -> float:
            all_places = ({**at, index: k} for k in range(1, self.sides[side] + 1))
            return _OVER[function]([operand.value(x) for x in all_places if holds(x)])

        return Part(f"{function}({operand.text} for {index} in {side}{where})", value)

    # -- equations ---------------------------------------------------------------------------------

    def equation(self, name: str) -> None:
        """Draws an equation of what is there, and works it."""
        sides = self.random.choice((("n", "d"), ("n", "n"), ("d", "n"), ("n",), ("d",), ()))
        scope: dict[str, str] = {}
        for side in sides:
            scope[next(x for x in _LETTERS[side] if x not in scope)] = side
        value = (
            self._softmax(scope) if scope and self.random.random() < 0.2 else self.part(scope, 3)
        )
        bounds = ", ".join(f"{index} in {side}" for index, side in scope.items())
        self.lines.append(
            f"{name}[{bounds}] = {value.text}" if bounds else f"{name} = {value.text}"
        )
        made = np.zeros([self.sides[side] for side in sides])
        for at in np.ndindex(*made.shape):
            made[at] = value.value({x: k + 1 for x, k in zip(scope, at, strict=True)})
        self.arrays[name] = sides, made

    def _softmax(self, scope: Mapping[str, str]) -> Part:
        index = self.random.choice(sorted(scope))
        operand, others = self.part(scope, 2), [x for x in scope if x != index]
        text = ""
        holds: Callable[[Places], bool] = _always
        if others and scope[others[0]] == scope[index] and self.random.random() < 0.6:
            text = f" if {index} <= {others[0]}"
            holds = lambda at: at[index] <= at[others[0]]  # noqa: E731

        def value(at: Places) -> float:
            if not holds(at):
                return 0.0
            places = ({**at, index: k} for k in range(1, self.sides[scope[index]] + 1))
            scores = [operand.value(x) for x in places if holds(x)]
            top = max(scores)
            return math.exp(operand.value(at) - top) / sum(math.exp(x - top) for x in scores)

        return Part(f"softmax({operand.text} for {index}{text})", value)

    def times(self) -> str:
        """Draws a step over t of two equations, and works it."""
        length, width = self.sides["n"], self.sides["d"]
        scope = {"t": "n", "j": "d"}
        new, share, last = (
            self.part(scope, 2),
            self.random.choice(("0.5", "2", "-1")),
            self.part({"t": "n"}, 1),
        )
        state, out = np.zeros((length, width)), np.zeros(length)
        for t in range(1, length + 1):
            for i in range(1, width + 1):
                before = state[t - 2, i - 1] if t > 1 else 0.0
                state[t - 1, i - 1] = float(share) * before + new.value({"t": t, "j": i})
            out[t - 1] = state[t - 1].sum() * last.value({"t": t})
        self.arrays |= {"S": (("n", "d"), state), "o": (("n",), out)}
        return (
            "  over_t:\n    over: t in n\n    start: {S: 0}\n    equations:\n"
            f"      - S[t, j in d] = {share} * S[t - 1, j] + ({new.text})\n"
            f"      - o[t] = sum(S[t, j] for j in d) * ({last.text})\n"
        )


_OVER: dict[str, Callable[[list[float]], float]] = {
    "sum": math.fsum,
    "mean": lambda x: math.fsum(x) / len(x),
    "prod": math.prod,
    "max": max,
    "min": min,
}


class Case(NamedTuple):
    """A scenario, and what each equation makes."""

    text: str
    truth: dict[str, Array]


def drawn(seed: int, policy: str) -> Case:
    """Draws a scenario by a seed."""
    drawing = Drawing(Random(seed))
    steps, given = "", list(drawing.arrays)
    if drawing.random.random() < 0.25:
        steps = drawing.times()
    for name in ("Y", "Z")[: drawing.random.randint(1, 2)]:
        drawing.equation(name)
    lines = "".join(f"      - {line}\n" for line in drawing.lines)
    sizes = ", ".join(f"{side}: {length}" for side, length in drawing.sides.items())
    text = (
        f"title: Drawn\nrounding: {{policy: {policy}, decimals: {drawing.random.randint(2, 5)}}}\n"
        f"sizes: {{{sizes}}}\ngiven:\n" + "\n".join(drawing.given) + f"\nsteps:\n{steps}"
        f"  drawn:\n    equations:\n{lines}"
    )
    return Case(text, {name: of for name, (_, of) in drawing.arrays.items() if name not in given})
