"""The declaration of a command: a function of a record, whose fields are its options.

    class RunArguments(NamedTuple):
        scenario: Annotated[str, argument("SCENARIO", "A scenario file.")]
        token: Annotated[str | None, text("--token", "TOKEN", "Only this query's rows.")] = None

    @command(effort=WORKING)
    def run(asked: RunArguments) -> Output: ...

The command line and `attncli.run(…)` are made of that. It is found by its entry point, in the group
`attncli.commands`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from attncli.efforts import Effort
from attncli.plugins import COMMANDS, plugins

R = TypeVar("R", bound=NamedTuple)

REQUIRED = object()
"""The default of a field that has none."""

Names = Callable[[], Iterable[str]]
"""Returns the words that an option chooses from, when somebody asks for them."""


class Option(NamedTuple):
    """An option of a command, or an argument, which has no flags."""

    says: str
    """What it is for, in the help."""
    metavar: str | None = None
    """What stands for its value in the help; None for the names that it chooses from, or for
    none."""
    flags: tuple[str, ...] = ()
    """How it is written: `--output`, `-o`."""
    names: Names | None = None
    """What a shell offers to complete."""
    shows_default: bool = True
    """Whether the help tells its default."""
    in_words: bool = False
    """Whether several words that are typed are one text, with spaces between them."""


def text(flag: str, metavar: str, says: str, names: Names | None = None) -> Option:
    """Declares an option for a text; of type `Sequence[str]`, one that may be repeated."""
    return Option(says, metavar, (flag,), names)


def flag(name: str, says: str) -> Option:
    """Declares an option that is said or not, of type `bool`."""
    return Option(says, None, (name,))


def choice(flag: str, names: Names, says: str, metavar: str | None = None) -> Option:
    """Declares an option for one of some names, which the help lists."""
    return Option(says, metavar, (flag,), names)


def output(metavar: str, says: str) -> Option:
    """Declares the option for where it goes."""
    return Option(says, metavar, ("--output", "-o"))


def argument(
    metavar: str, says: str, names: Names | None = None, *, shows_default: bool = True
) -> Option:
    """Declares a text without an option; of type `Sequence[str]`, one or more."""
    return Option(says, metavar, (), names, shows_default)


def words(metavar: str, says: str, names: Names | None = None) -> Option:
    """Declares a text without an option that may have several words, typed without quotes."""
    return Option(says, metavar, (), names, shows_default=False, in_words=True)


class Field(NamedTuple):
    """A value that a command takes."""

    name: str
    kind: type
    """`str`, `bool`, or `list` of what may be repeated; `object` of what nobody types."""
    default: object
    """`REQUIRED` where it has none."""
    option: Option | None
    """How it is typed; None where nobody types it, as the effort of a command."""


def fields_of(record: type[NamedTuple]) -> Iterator[Field]:
    """Yields the fields of a record, and of the records in it."""
    known = vars(sys.modules[record.__module__])  # for functions that are written in annotations
    hints = get_type_hints(record, known, known, include_extras=True)
    for name in record._fields:
        default: Any = record._field_defaults.get(name, REQUIRED)
        if hasattr(default, "_fields"):
            yield from fields_of(type(default))
        else:
            option = next((a for a in get_args(hints[name]) if isinstance(a, Option)), None)
            yield Field(name, _kind_of(hints[name]) if option else object, default, option)


def _kind_of(hint: object) -> type:
    """Returns what is typed for `Annotated[Sequence[str] | None, …]`: `list`."""
    told, *_ = get_args(hint)
    kinds = [kind for kind in get_args(told) or (told,) if kind is not type(None)]
    if get_origin(told) is Sequence or any(get_origin(kind) is Sequence for kind in kinds):
        return list
    return bool if bool in kinds else str


def recorded(record: type[R], typed: Mapping[str, object]) -> R:
    """Makes a record of what was typed, with the record's defaults for the rest."""
    values = dict(record._field_defaults)
    for name in record._fields:
        default: Any = values.get(name)
        if hasattr(default, "_fields"):
            values[name] = recorded(type(default), typed)
        elif name in typed:
            values[name] = typed[name]
    return record._make(values[name] for name in record._fields)


@dataclass(frozen=True)
class Command(Generic[R]):
    """A command: what it is asked as a record, and what it does."""

    act: Callable[[R], object]
    """Makes what is asked for; or talks with somebody, and returns the exit status."""
    record: type[R]
    without: Collection[str]
    """Fields of the record that it doesn't take."""
    own: Mapping[str, Option]
    """How it takes fields that others take otherwise."""
    usual: Mapping[str, object]
    """Its defaults, where they are others than the record's."""
    effort: Effort | None
    """What it does with a scenario, where it has one."""
    talks: bool
    """Whether it talks with somebody until it ends, and is no function of a program."""

    @property
    def name(self) -> str:
        """Returns what is typed: `list` for a function `list_`."""
        return self.act.__name__.rstrip("_")

    @property
    def help(self) -> str:
        """Returns what it does, with examples."""
        return self.act.__doc__ or ""

    @cached_property
    def fields(self) -> Sequence[Field]:
        """Returns what it takes, in order."""
        known = (field for field in fields_of(self.record) if field.name not in self.without)
        return [
            field._replace(
                default=self.usual.get(field.name, field.default),
                option=self.own.get(field.name, field.option),
            )
            for field in known
        ]

    def asked(self, typed: Mapping[str, object]) -> R:
        """Makes the record of what was typed."""
        effort = {} if self.effort is None else {"effort": self.effort}
        return recorded(self.record, {**self.usual, **typed, **effort})

    def __call__(self, asked: R) -> Any:  # noqa: ANN401
        """Does what is asked. Raises UserError of all that is wrong with it."""
        return self.act(asked)


def command(
    record: type[R],
    *,
    without: Collection[str] = (),
    own: Mapping[str, Option] = {},
    effort: Effort | None = None,
    talks: bool = False,
    **usual: object,
) -> Callable[[Callable[[R], object]], Command[R]]:
    """Makes a command of a function of a record. Raises TypeError where the record has scenarios
    and nobody says what effort is made with them."""
    if effort is None and any(field.name == "effort" for field in fields_of(record)):
        raise TypeError(f"{record.__name__} has scenarios: say what effort is made with them")
    return lambda act: Command(act, record, without, own, usual, effort, talks)


def command_named(name: str) -> Command[Any]:
    """Imports a command. Raises KeyError where there is none of this name."""
    made: Command[Any] = plugins(COMMANDS)[name].load()
    return made
