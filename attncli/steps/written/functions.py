"""The functions of equations: of one number, of several, along an index; and those that a scenario
defines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, reduce

from attncli.maths.equations import language as said
from attncli.maths.equations import tree as ex
from attncli.maths.equations.language import EquationError, Part, Piece
from attncli.maths.equations.tree import Apply, Expression
from attncli.scenario.file.problems import nearest
from attncli.steps.written.arrays import Environment

ALONG = ("softmax", "layer_norm")
"""What goes along an index and makes as many numbers."""
REDUCED = ("sum", "mean", "prod", "max", "min")
"""What makes one number of those along an index."""


def _named(name: str, x: Expression) -> Expression:
    return Apply(name, (x,))


def _sigmoid(x: Expression) -> Expression:
    return ex.Quotient(ex.ONE, ex.Sum((ex.ONE, ex.e_to(ex.Negative(x)))))


def _softplus(x: Expression) -> Expression:
    return Apply("ln", (ex.Sum((ex.ONE, ex.e_to(x))),))


def _relu(x: Expression) -> Expression:
    return Apply("max", (ex.ZERO, x))


_OF_ONE: Mapping[str, Callable[[Expression], Expression]] = {
    "exp": ex.e_to,
    "sqrt": ex.Root,
    **{name: partial(_named, name) for name in ("ln", "abs", "sin", "cos", "tanh", "erf")},
    "sigmoid": _sigmoid,
    "softplus": _softplus,
    "relu": _relu,
}
_OF_SEVERAL = ("max", "min")
FUNCTIONS = (*_OF_ONE, *_OF_SEVERAL)


def applied(call: said.Call, arguments: tuple[Expression, ...], known: Environment) -> Expression:
    """Applies a function to numbers. Raises EquationError where none has its name, or it is of
    another number of them."""
    name = call.function
    if name in _OF_SEVERAL and len(arguments) > 1:
        return reduce(lambda a, b: Apply(name, (a, b)), arguments)
    if name in (*REDUCED, *ALONG):
        wrong = f"{name} of one number"
        raise EquationError(wrong, f"say over what: {name}(… for k)", call.start)
    if name not in _OF_ONE:
        wrong = f"no function is called {name}"
        names = (*FUNCTIONS, *REDUCED, *ALONG, *known.functions)
        raise EquationError(wrong, nearest(name, names), call.start)
    if len(arguments) > 1:
        wrong = f"{name} is of one number, here of {len(arguments)}"
        raise EquationError(wrong, f"write {name}(x)", call.start)
    return _OF_ONE[name](*arguments)


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
        return without_functions(_with_arguments(function.value, own), known)

    return said.rewritten(part, change)


def _with_arguments(value: Part, own: Mapping[str, Part]) -> Part:
    """Puts the arguments of a function in the place of its parameters."""
    return said.rewritten(
        value, lambda inner: own.get(inner.name) if isinstance(inner, said.Reference) else None
    )
