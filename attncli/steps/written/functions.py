"""The functions of equations: of one number, of several, along an index; and those that a scenario
defines."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from attncli.maths.equations import elsewhere
from attncli.maths.equations import language as said
from attncli.maths.equations import tree as ex
from attncli.maths.equations.functions import OF_ONE
from attncli.maths.equations.language import EquationError, Part, Piece
from attncli.maths.equations.tree import Apply, Expression
from attncli.scenario.file.problems import nearest
from attncli.steps.written.arrays import Environment, OwnFunction

ALONG = ("softmax", "layer_norm")
"""What goes along an index and makes as many numbers."""
REDUCED = ("sum", "mean", "prod", "max", "min")
"""What makes one number of those along an index."""


_OF_SEVERAL = ("max", "min")
FUNCTIONS = (*OF_ONE, *_OF_SEVERAL)


def applied(call: said.Call, arguments: tuple[Expression, ...], known: Environment) -> Expression:
    """Applies a function to numbers. Raises EquationError where none has its name, or it is of
    another number of them."""
    name = call.function
    if name in known.broken:
        raise EquationError("", "", call.start)
    if name in _OF_SEVERAL and len(arguments) > 1:
        return reduce(lambda a, b: Apply(name, (a, b)), arguments)
    if name in (*REDUCED, *ALONG):
        raise _over_nothing(call, known)
    if name not in OF_ONE:
        raise unknown_function(name, call.start, known)
    if len(arguments) > 1:
        wrong = f"{name} is of one number, here of {len(arguments)}"
        raise EquationError(wrong, f"write {name}(x)", call.start)
    return OF_ONE[name](*arguments)


def unknown_function(name: str, start: int, known: Environment) -> EquationError:
    """Makes the error of a function that isn't there, with what is written in its stead."""
    names = (*FUNCTIONS, *REDUCED, *ALONG, *known.functions)
    right = elsewhere.FUNCTIONS.get(name) or nearest(name, names)
    return EquationError(f"no function is called {name}", right, start)


def _over_nothing(call: said.Call, known: Environment) -> EquationError:
    """Makes the error of a function over an index that no index is said for."""
    name, first = call.function, call.arguments[0]
    array = known.arrays.get(first.name) if isinstance(first, said.Reference) else None
    if isinstance(first, said.Reference) and array is not None and array.sides:
        letters = ("ijk" if name in ALONG else "klm")[: len(array.sides)]
        over = " ".join(f"for {letter}" for letter in letters[-1 if name in ALONG else 0 :])
        right = f"say over what: {name}({first.name}[{', '.join(letters)}] {over})"
        return EquationError(f"{name} of {first.name}, over no index", right, call.start)
    read = [place.name for x in said.walk(first) if isinstance(x, said.Cell) for place in x.places]
    index = next((place for place in reversed(read) if place not in ("", "last")), "k")
    right = f"say over what: {name}(… for {index})"
    return EquationError(f"{name} of one number", right, call.start)


def check_functions(value: Part, known: Environment) -> None:
    """Raises EquationError for a function that isn't there, and for one over an index that has
    none, before anybody looks at what it is of."""
    others = {*known.functions, *known.later, *known.broken}
    arrays = known.arrays.keys() - {*FUNCTIONS, *known.functions, *known.broken}
    for part in said.walk(value):
        match part:
            case said.Call(name, (_,), _) if name in (*REDUCED, *ALONG):
                raise _over_nothing(part, known)
            case said.Call(name, _, start) if name in arrays:
                raise EquationError(f"{name} is no function", f"read a cell: {name}[i]", start)
            case said.Call(name, _, start) if name not in (*FUNCTIONS, *REDUCED, *ALONG, *others):
                raise unknown_function(name, start, known)
            case said.OverIndices(name, _, _, _, _, start) if name in elsewhere.FUNCTIONS:
                if name not in known.functions:
                    raise unknown_function(name, start, known)


def without_functions(part: Part, known: Environment) -> Part:
    """Puts what they stand for in the place of a scenario's own functions."""

    def change(inner: Piece) -> Piece | None:
        if not isinstance(inner, said.Call) or inner.function not in known.functions:
            return None
        function = known.functions[inner.function]
        given, wanted = len(inner.arguments), len(function.parameters)
        if given != wanted:
            wrong = f"{inner.function} is of {wanted} number{'s' * (wanted != 1)}, here of {given}"
            right = f"write {inner.function}({', '.join(function.parameters)})"
            raise EquationError(wrong, right, inner.start)
        arguments = (without_functions(argument, known) for argument in inner.arguments)
        own = dict(zip(function.parameters, arguments, strict=True))
        value = _with_arguments(function.value, own, inner.start)
        said.check_depth(value, inner.start)
        return value

    return said.rewritten(part, change)


def own_function(target: said.FunctionTarget, value: Part, known: Environment) -> OwnFunction:
    """Makes a function of a scenario's own, with what they stand for in the place of those above
    it. Raises EquationError for one that isn't made of its numbers and of what is above it."""
    parameters = [parameter.name for parameter in target.parameters]
    for k, parameter in enumerate(target.parameters):
        if parameter.name in parameters[:k]:
            raise EquationError(f"{parameter.name} is there twice", _OTHERWISE, parameter.start)
    _check_names(target, value, known)
    return OwnFunction(tuple(parameters), without_functions(value, known))


def _check_names(target: said.FunctionTarget, value: Part, known: Environment) -> None:
    """Raises EquationError for a name in a function that nothing has."""
    bounds = [b.name for x in said.walk(value) if isinstance(x, said.OverIndices) for b in x.bounds]
    own = [parameter.name for parameter in target.parameters]
    names = (*own, *bounds, *known.arrays, *known.sides, "pi")
    for part in said.walk(value):
        match part:
            case said.Call(name, arguments, start) if name not in known.functions:
                if name == target.name:
                    right = "write what it is of numbers, without itself"
                    raise EquationError(f"{name} is a function of itself", right, start)
                if name in known.later - known.broken - known.arrays.keys():
                    raise EquationError(f"{name} is made further down", _BELOW, start)
                applied(part, (ex.ONE,) * len(arguments), known)
            case said.Cell():
                _check_cell(target, part)
            case said.Reference(name, start) if name not in (*names, *known.broken):
                if name in known.later:
                    raise EquationError(f"{name} is made further down", _BELOW, start)
                wrong = "" if known.is_partly_read else f"nothing is called {name}"
                raise EquationError(wrong, nearest(name, names), start)


def _check_cell(target: said.FunctionTarget, cell: said.Cell) -> None:
    """Raises EquationError for a cell of a number that a function is of, or at such a number."""
    own, function = [parameter.name for parameter in target.parameters], target.name
    if cell.name in own:
        wrong, right = f"{cell.name} is a number here, and no array", "give it the cell"
        raise EquationError(wrong, f"{right}: {function}({cell.name}[i])", cell.start)
    place = next((place for place in cell.places if place.name in own), None)
    if place is not None:
        wrong = f"{place.name} is a number that {function} is of, and no index"
        raise EquationError(wrong, f"write {function}[{place.name}] = … for a list", place.start)


_BELOW = "move this equation below that"
_OTHERWISE = "call one of the two otherwise"


def _with_arguments(value: Part, own: Mapping[str, Part], start: int) -> Part:
    """Puts the arguments of a function in the place of its parameters; its parts stand where the
    function is called."""

    def change(inner: Piece) -> Piece | None:
        if isinstance(inner, said.Reference) and inner.name in own:
            return own[inner.name]
        return None

    return said.rewritten(standing_at(value, start), change)


def standing_at(value: Part, start: int) -> Part:
    """Returns a value whose parts all stand at a place."""

    def moved(part: object) -> Any:  # noqa: ANN401  (parts, and what these have)
        if type(part) is tuple:
            return tuple(map(moved, part))
        if not isinstance(part, tuple):
            return part
        return part._replace(  # type: ignore[attr-defined]
            **{name: start if name == "start" else moved(x) for name, x in part._asdict().items()}  # type: ignore[attr-defined]
        )

    made: Part = moved(value)
    return made
