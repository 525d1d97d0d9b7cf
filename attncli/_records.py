"""What `records` is when the program runs: classes share the methods that the standard library
would write for each of them.

A function of so many parameters is compiled once; each class has it with the names of its fields,
from when it is first called: of the classes that a command imports, many never are.
"""

from __future__ import annotations

from collections import _tuplegetter  # type: ignore[attr-defined]  # what `namedtuple` reads by
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType, MappingProxyType
from typing import Any, NoReturn, Self

_ABSENT = object()


def _function(
    name: str,
    fields: Iterable[str],
    usual: Iterable[object],
    act: Callable[..., object],
    kind: str = "",
) -> FunctionType:
    """A function whose parameters are the fields, and that hands their values over as a tuple; one
    that has a kind ends with that."""
    names = ("self", *fields)
    code = _code(len(names) - 1, bool(kind)).replace(co_varnames=names, co_name=name)
    return FunctionType(code, {"act": act, "kind": kind}, name, (*usual,))


@cache
def _code(count: int, has_kind: bool) -> CodeType:
    names = "".join(f"_{k}, " for k in range(count))
    values = f"{names}kind," if has_kind else names
    function: FunctionType = eval(f"lambda self, {names}: act(self, ({values}))")
    return function.__code__


def _starting(
    fields: Sequence[str], usual: Iterable[object], finish: Callable[[Any], None] | None
) -> FunctionType:
    """A function that gives a new value its fields, and then does what else there is to do: no
    call but this one for most classes, since there is nothing that is made as often."""
    own = {f"_{k}": field for k, field in enumerate(fields)}
    code = _code_of_start(len(fields), finish is not None)
    consts = tuple(
        tuple(own.get(one, one) for one in const) if type(const) is tuple else own.get(const, const)
        for const in code.co_consts
    )
    code = code.replace(co_varnames=("self", *fields), co_consts=consts, co_name="__init__")
    return FunctionType(code, {"vars": vars, "finish": finish}, "__init__", (*usual,))


@cache
def _code_of_start(count: int, has_more: bool) -> CodeType:
    names = [f"_{k}" for k in range(count)]
    state = ", ".join(f"'{name}': {name}" for name in names)
    start = f"vars(self).update({{{state}}})"
    told = f"{start} or finish(self)" if has_more else start
    function: FunctionType = eval(f"lambda self, {', '.join(names)}: {told}")
    return function.__code__


def _members(body: Mapping[str, Any]) -> dict[str, object]:
    """What a class of tuples has, by the annotations of its body."""
    fields = tuple(body.get("__annotations__", ()))
    usual = {field: body[field] for field in fields if field in body}
    made: dict[str, object] = dict(zip(fields, map(_getter, range(len(fields))), strict=True))
    made |= {"_fields": fields, "_field_defaults": usual, "__match_args__": fields}
    return made | {"__new__": _new}


@cache
def _getter(place: int) -> object:
    """What reads the value at a place of a tuple."""
    return _tuplegetter(place, "")


def _new(cls: Any, /, *values: object, **named: object) -> Any:  # noqa: ANN401
    """The first value of a class of tuples: writes the class what makes the others."""
    owner = _owner(cls, "_fields")
    kind = owner.__name__ if issubclass(owner, Node) else ""
    usual = owner._field_defaults.values()
    owner.__new__ = _function("__new__", owner._fields, usual, tuple.__new__, kind)
    return owner.__new__(cls, *values, **named)


def _owner(cls: type, member: str) -> Any:  # noqa: ANN401
    """The class in whose body a member of this class is."""
    return next(one for one in cls.__mro__ if member in vars(one))


def _shown(name: str, values: Mapping[str, object]) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in values.items())})"


class _NamedValues(tuple[Any, ...]):
    """What every named tuple can."""

    __slots__ = ()
    _fields = tuple[str, ...]()

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Self:
        return cls(*values)

    def _replace(self, /, **changes: object) -> Self:
        made = tuple.__new__(type(self), map(changes.pop, self._fields, self))
        if changes:
            raise ValueError(f"Got unexpected field names: {[*changes]!r}")
        return made

    def _asdict(self) -> dict[str, object]:
        return dict(zip(self._fields, self, strict=True))

    def __getnewargs__(self) -> tuple[object, ...]:
        """The values as they are pickled, which read-only views of maps can't be."""
        return tuple(dict(one) if isinstance(one, MappingProxyType) else one for one in self)

    def __repr__(self) -> str:
        return _shown(type(self).__name__, self._asdict())


class _NamedTupleType(type):
    """Makes a named tuple of the body of a class."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
        if not bases:
            return super().__new__(cls, name, bases, body)
        return type(name, (_NamedValues,), body | _members(body) | {"__slots__": ()})


class NamedTuple(metaclass=_NamedTupleType):
    """As `typing.NamedTuple`."""


class Node(tuple[Any, ...]):
    """A tuple of its parts and of its kind, which is the name of its class."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        for name, member in _members(vars(cls)).items():
            setattr(cls, name, member)

    @property
    def parts(self) -> tuple[Any, ...]:
        """The values of the fields."""
        return self[:-1]

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.parts

    def __repr__(self) -> str:
        return f"{self[-1]}({', '.join(map(repr, self.parts))})"

    def __setattr__(self, name: str, _: object) -> NoReturn:
        _refuse(self, name)


class _Field:
    """What is said of a field of a dataclass; a default that is one of these makes a new value."""

    __slots__ = ("compare", "default", "factory", "repr")

    def __init__(
        self,
        *,
        default: object = _ABSENT,
        default_factory: Callable[[], object] | None = None,
        repr: bool = True,  # noqa: A002
        compare: bool = True,
    ) -> None:
        self.default = default if default_factory is None else self
        self.factory, self.repr, self.compare = default_factory, repr, compare


field = _Field


def dataclass(
    made: Any = None,  # noqa: ANN401
    /,
    *,
    frozen: bool = False,
    eq: bool = True,
    repr: bool = True,  # noqa: A002
) -> Any:  # noqa: ANN401
    """As `dataclasses.dataclass`."""
    if made is None:
        return lambda made: dataclass(made, frozen=frozen, eq=eq, repr=repr)
    fields = {**getattr(made, "_record", {}), **_own_fields(made)}
    methods: dict[str, object] = {"_record": fields, "__match_args__": (*fields,)}
    compared = [name for name, said in fields.items() if said.compare]
    methods["_compared"] = property(attrgetter(*compared) if compared else lambda _: ())
    methods["__init__"] = _init
    methods |= {"__repr__": _repr} if repr else {}
    methods |= {"__eq__": _eq, "__hash__": _hash if frozen else None} if eq else {}
    methods |= {"__setattr__": _refuse, "__delattr__": _refuse} if frozen else {}
    for name, method in methods.items():
        setattr(made, name, method)
    return made


def _own_fields(made: type) -> dict[str, _Field]:
    """The fields that the body of a class has, whose attributes become their defaults."""
    kinds = vars(made).get("__annotations__", {})
    fields: dict[str, _Field] = {}
    for name in (name for name, kind in kinds.items() if "ClassVar" not in str(kind)):
        default = vars(made).get(name, _ABSENT)
        fields[name] = default if isinstance(default, _Field) else _Field(default=default)
        if default is not fields[name].default:
            setattr(made, name, fields[name].default)
    return fields


def _init(self: Any, /, *values: object, **named: object) -> None:  # noqa: ANN401
    """Starts the first value of a dataclass: writes the class what starts the others."""
    owner = _owner(type(self), "_record")
    fields = owner._record
    usual = [one.default for one in fields.values() if one.default is not _ABSENT]
    owner.__init__ = _starting([*fields], usual, _finishing(owner, fields))
    owner.__init__(self, *values, **named)


def _finishing(made: type, fields: Mapping[str, _Field]) -> Callable[[Any], None] | None:
    """What makes the values of fields that have none yet, and does what the class itself does
    then; most classes have no more to do."""
    new = {name: said.factory for name, said in fields.items() if said.factory is not None}
    has_more = hasattr(made, "__post_init__")
    if not new:  # as for most
        return made.__post_init__ if has_more else None  # type: ignore[attr-defined]

    def finish(one: Any) -> None:  # noqa: ANN401
        state = vars(one)
        for name, factory in new.items():
            if type(state[name]) is _Field:
                state[name] = factory()
        if has_more:
            one.__post_init__()

    return finish


def _eq(one: Any, other: Any) -> bool:  # noqa: ANN401
    return one._compared == other._compared if type(one) is type(other) else NotImplemented


def _hash(one: Any) -> int:  # noqa: ANN401
    return hash(one._compared)


def _repr(one: Any) -> str:  # noqa: ANN401
    shown = {name: getattr(one, name) for name, said in one._record.items() if said.repr}
    return _shown(type(one).__qualname__, shown)


def _refuse(one: object, name: str, *_: object) -> NoReturn:
    raise AttributeError(f"cannot assign to field {name!r} of {type(one).__name__}")


def replace(one: Any, /, **changes: object) -> Any:  # noqa: ANN401
    """As `dataclasses.replace`."""
    state, kind = vars(one), type(one)
    return kind(**{name: state[name] for name in kind._record} | changes)
