"""From bytes to a tree of nodes. The importer of `yaml`, with `editing`.

PyYAML parses; the tree is built here from its events, so that every scalar stays the text
that the author wrote, every node knows its line and column, repeated keys are found, and
neither aliases nor nesting can make a small file large.
"""

from __future__ import annotations

import re
import stat
from bisect import bisect_left, bisect_right
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import yaml

from attncli.errors import Where, quote, shortened
from attncli.maths.numbers.foreign_arrays import as_array
from attncli.scenario.file import shipped
from attncli.scenario.file.nodes import Items, Map, Node, Numbers, Run, Scalar, inner
from attncli.scenario.file.problems import (
    Diagnostics,
    Hint,
    almost,
    knows_nothing,
    nearest,
    scenario_error,
)

if TYPE_CHECKING:
    from yaml._yaml import Mark as CMark

    from attncli.maths.numbers.rounding import AnyArray

    Mark: TypeAlias = yaml.Mark | CMark  # PyYAML has two of a kind


LARGEST_FILE = 16 * 2**20
DEEPEST = 32
_MOST_FROM_ALIASES = 100_000
_PLAIN_TAGS = (
    None,
    "!",
    *(f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "map", "seq")),
)

LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_file(path: Path, problems: Diagnostics, hint: Hint) -> Map:
    """Reads the tree of a scenario file. Raises ScenarioError for anything that isn't one.

    What is wrong and yet leaves a tree, such as a repeated key, goes to `problems`. `hint` knows
    what is meant by some names that no file has.
    """
    return tree_of_bytes(bytes_of(path, hint), str(path), problems)


def tree_of_bytes(data: bytes, source: str, problems: Diagnostics) -> Map:
    """Reads the tree of a scenario file's bytes. Raises ScenarioError for anything that isn't
    one."""
    node = read_value(decoded(data, source), Where(source, 1, 1), problems)
    if isinstance(node, Map):
        return node
    problems.stop_if_any()
    wrong = "the file is empty" if node is None else "the file is not a map of keys and values"
    raise scenario_error(
        Where(source, 1, 1), wrong, "`attn new FILE` writes a scenario to start from"
    )


def read_value(text: str, start: Where, problems: Diagnostics) -> Node | None:
    """Reads the node that a piece of YAML holds, None for nothing. Its places count from `start`.

    Raises ScenarioError for text that can't be read as YAML.
    """
    return _read(escaped_surrogates(text), start, problems)


def _read(
    text: str, start: Where, problems: Diagnostics, joined: Sequence[tuple[int, int]] = ()
) -> Node | None:
    builder = _Builder(text, start, problems, joined)
    try:
        for event in yaml.parse(text, Loader=LOADER):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        if error.problem == _NO_CHARACTER and not joined:
            whole, places = _with_joined_pairs(text)
            if places:
                return _read(whole, start, problems, places)
        mark, wrong, right = _syntax_error(error, text)
        problems.add(builder.place(mark), wrong, right)
        problems.stop_if_any()
    except yaml.reader.ReaderError as error:
        character = error.character if isinstance(error.character, str) else chr(error.character)
        problems.add(
            _place_of(text, text.find(character), start.source) if start.line else start,
            f"a character that YAML doesn't allow (U+{ord(character):04X})",
            f"write it in double quotes as a backslash and u{ord(character):04x}",
        )
        problems.stop_if_any()
    return builder.root


def _syntax_error(error: yaml.MarkedYAMLError, text: str) -> tuple[Mark | None, str, str]:
    """Explains what keeps a text from being YAML: the mark of the place, what is wrong, and what
    would be right."""
    mark: Any = error.problem_mark or error.context_mark
    lines = text.split("\n")
    if "nesting depth" in (error.problem or ""):  # PyYAML since 6.0.4, which looks far ahead
        return mark, _TOO_DEEP, _LESS_DEEP
    before = _line_before(error, lines)
    if joined := re.match(r"(\s*(?:- +)*)([\w.]+):(?=[^\s:/])(.*)", lines[before]):
        wrong = f"no space after the colon of {quote(joined[2])}"
        right = f"write {shortened(f'{joined[2]}: {joined[3].rstrip()}')}"
        return yaml.Mark("", 0, before, len(joined[1]), None, 0), wrong, right
    line = lines[mark.line] if mark and mark.line < len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        start = yaml.Mark("", 0, mark.line, 0, None, 0)
        return start, "the line begins with a tab", "indent it by spaces, as YAML wants"
    if error.problem and error.problem.endswith(_NO_START):
        first = quote(line[mark.column : mark.column + 1])
        return mark, f"no text begins with {first}", "put the text in quotes"
    return mark, f"broken YAML: {error.problem or error.context}", _HINT


def _line_before(error: yaml.MarkedYAMLError, lines: Sequence[str]) -> int:
    """Returns the line that was taken for a text, so that what follows can't be read, or else the
    line that can't be read. Lines count from 0."""
    marks: Any = error.context_mark, error.problem_mark or error.context_mark
    if error.context == _NO_KEY:
        return int(marks[0].line)
    line = min(marks[1].line, len(lines) - 1) if marks[1] else 0
    above = (k for k in range(line - 1, -1, -1) if lines[k].strip())
    return next(above, line) if (error.problem or "").startswith(_NO_MAP) else line


_NO_KEY = "while scanning a simple key"
_NO_MAP = "mapping values are not allowed"
_NO_START = "that cannot start any token"
_NO_CHARACTER = "found invalid Unicode character escape code"
_PAIR = r"(?i)(?<!\\)((?:\\\\)*)\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})"


def _with_joined_pairs(text: str) -> tuple[str, Sequence[tuple[int, int]]]:
    """Joins the escapes of each pair of surrogates into one, since JSON writes characters beyond
    U+FFFF so and YAML doesn't. Returns the text, and the lines and columns, from 0, behind which a
    line is 2 characters shorter than it was."""
    lines = text.split("\n")
    places: list[tuple[int, int]] = []
    for k, line in enumerate(lines):
        whole, end = "", 0
        for pair in re.finditer(_PAIR, line):
            character = bytes.fromhex(pair[2] + pair[3]).decode("utf-16-be")
            whole += f"{line[end : pair.start()]}{pair[1]}\\U{ord(character):08x}"
            end = pair.end()
            places.append((k, len(whole)))
        lines[k] = whole + line[end:]
    return "\n".join(lines), places


_TOO_DEEP = "lists and maps are nested too deeply"
_LESS_DEEP = f"use at most {DEEPEST} levels"
_HINT = (
    "check the indentation, the quotes and the brackets just before this place, and put a text with"
    " a colon, a comma or a bracket in quotes"
)


def bytes_of(path: Path, hint: Hint, *, again: bool = False) -> bytes:
    """Reads the bytes of a scenario file. Where it is to be read `again` later, pipes and devices
    are refused. Raises ScenarioError for a file that can't be read, and for one that is too
    large."""
    try:
        once = again and _is_read_once(path)
        data = b"" if once else _read_at_most(path, LARGEST_FILE + 1)
    except IsADirectoryError:
        raise scenario_error(Where(str(path)), "this is a folder", "give a scenario file") from None
    except FileNotFoundError:
        raise scenario_error(Where(str(path)), NO_SCENARIO, meant_by(path, hint)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise scenario_error(
            Where(str(path)), f"can't be read ({reason})", "give a file that can be"
        ) from None
    if once:
        wrong = "this is a pipe or a device, which can't be read again"
        raise scenario_error(Where(str(path)), wrong, "give a scenario file")
    if len(data) > LARGEST_FILE:
        most = f"a scenario has at most {LARGEST_FILE // 2**20} MiB"
        raise scenario_error(Where(str(path)), "the file is too large", most)
    return data


NO_SCENARIO = "no such file, nor a shipped scenario"


def meant_by(path: Path, hint: Hint = knows_nothing) -> str:
    """Suggests which file or shipped scenario a path stands for that there is no file at."""
    written = path.with_name(f"{path.name}.yaml")
    if written.is_file():
        return f"did you mean {written.name}?"
    beside = path.parent.iterdir() if path.parent.is_dir() else ()
    names = sorted(file.name for file in islice(beside, _MOST_BESIDE) if file.suffix == ".yaml")
    near = almost(path.name, names)
    return f"did you mean {near}?" if near else nearest(path.stem, shipped.names(), hint)


_MOST_BESIDE = 500
"""Files of a folder that are looked at for one that may be meant."""


def _is_read_once(path: Path) -> bool:
    mode = path.stat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _read_at_most(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


def decoded(data: bytes, source: str) -> str:
    """Decodes the text of a file. Raises ScenarioError for one that isn't in UTF-8."""
    data = data.removeprefix(BOM_UTF8)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", errors="replace")
        raise scenario_error(
            _place_of(before, len(before), source),
            f"the file is not UTF-8 text (byte 0x{data[error.start]:02X})",
            "save it as UTF-8",
        ) from None


def _place_of(text: str, position: int, source: str) -> Where:
    before = text[:position]
    line_start = before.rfind("\n") + 1
    return Where(source, before.count("\n") + 1, position - line_start + 1)


class _Open(NamedTuple):
    """A list or map that is still being read."""

    where: Where
    is_map: bool
    anchor: str | None
    nodes: list[Node]


class _Builder:
    """A tree that is built from the parser's events, one at a time."""

    def __init__(
        self,
        text: str,
        start: Where,
        problems: Diagnostics,
        joined: Sequence[tuple[int, int]],
    ) -> None:
        self.text = text
        self.start, self.problems, self.joined = start, problems, joined
        self.root: Node | None = None
        self.open: list[_Open] = []
        self.anchors: dict[str, Node] = {}
        self.from_aliases = 0
        self.end = -1

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.ScalarEvent):
            where = self._where(event)
            self._check_tag(event.tag, where)
            quoted = event.style in ("'", '"')
            close = _index(event.start_mark) == self.end + 1  # where a comma has room
            runs = self._runs(event, where)
            text = escaped_surrogates(event.value)
            self._add(Scalar(text, where, quoted, close, runs), event.anchor)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._enter(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._leave()
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, yaml.DocumentStartEvent) and self.root is not None:
            self._fail(event, "a second document (---)", "keep one scenario in a file")
        self.end = _index(event.end_mark)

    def _where(self, event: yaml.Event) -> Where:
        return self.place(event.start_mark)

    def _runs(self, event: yaml.ScalarEvent, where: Where) -> tuple[Run, ...]:
        """Finds where the parts of a text stand that isn't one line as it is written."""
        start, text = _index(event.start_mark), event.value
        marks: Any = event.start_mark, event.end_mark
        is_plain = event.style is None and marks[0].line == marks[1].line
        if (is_plain and not event.anchor) or not where.line or len(text) > _LONGEST_PLACED:
            return ()
        begin = start + (event.style in ("'", '"'))
        if self.text.startswith(text, begin):
            return ()
        return _runs_of(text, self.text, start, where)

    def place(self, mark: Mark | None) -> Where:
        """Returns where a mark is in the original file, before surrogate pairs were joined."""
        if mark is None or not self.start.line:
            return self.start
        before = bisect_right(self.joined, (mark.line, mark.column))
        shorter = 2 * (before - bisect_left(self.joined, (mark.line, 0)))
        return Where(self.start.source, mark.line + self.start.line, mark.column + 1 + shorter)

    def _check_tag(self, tag: str | None, where: Where) -> None:
        if tag not in _PLAIN_TAGS:
            self.problems.add(where, f"the YAML tag {tag} is not used here", "leave it out")

    def _enter(self, event: yaml.CollectionStartEvent) -> None:
        where = self._where(event)
        self._check_tag(event.tag, where)
        if len(self.open) >= DEEPEST:
            self._fail(event, _TOO_DEEP, _LESS_DEEP)
        self.open.append(_Open(where, isinstance(event, yaml.MappingStartEvent), event.anchor, []))

    def _leave(self) -> None:
        done = self.open.pop()
        if done.is_map:
            self._add(Map(_merged(tuple(self._entries(done))), done.where), done.anchor)
        else:
            self._add(Items(tuple(done.nodes), done.where), done.anchor)

    def _add(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            self.anchors[anchor] = node
        if self.open:
            self.open[-1].nodes.append(node)
        else:
            self.root = node

    def _alias(self, event: yaml.AliasEvent) -> None:
        node = self.anchors.get(event.anchor or "")
        if node is None:
            self._fail(
                event, f"*{event.anchor} names no &{event.anchor} before it", "define it first"
            )
            return
        self.from_aliases += size_of(node, _MOST_FROM_ALIASES)
        if self.from_aliases > _MOST_FROM_ALIASES:
            self._fail(event, "aliases make the file too large", "write the values out")
        self._add(node, None)

    def _entries(self, done: _Open) -> Iterator[tuple[Scalar, Node]]:
        seen: dict[str, Where] = {}
        for key, value in zip(done.nodes[::2], done.nodes[1::2], strict=True):
            if not isinstance(key, Scalar):
                self.problems.add(key.where, "a key that is not a text", "use a plain name")
            elif key.text in seen:
                first = seen[key.text].line
                self.problems.add(
                    key.where, f"the key {quote(key.text)} is repeated (first on line {first})",
                    "keep one of the two",
                )  # fmt: skip
            else:
                seen[key.text] = key.where
                yield key, value

    def _fail(self, event: yaml.Event, wrong: str, right: str) -> None:
        self.problems.add(self._where(event), wrong, right)
        self.problems.stop_if_any()


_LONGEST_PLACED = 4_000
"""The most characters of a text, such as an equation, whose characters are found in its file."""
_BEFORE = re.compile(r"(?:[&!]\S*\s+)*(?:[|>][^\n]*\n|['\"]?)")
"""What stands before a text: its anchor and tag, and what begins it."""
_ESCAPED = re.compile(r"\\(?:x.{2}|u.{4}|U.{8}|.)", re.DOTALL)


def _runs_of(text: str, file: str, start: int, where: Where) -> tuple[Run, ...]:
    """Finds where the parts of a text stand whose lines were put together, or that has escapes: all
    blanks between two words count as one."""
    before = _BEFORE.match(file, start)
    follower = _Follower(file, start, where)
    follower.move(before.end() if before else start)
    in_double = file[follower.at - 1 : follower.at] == '"'
    runs: list[Run] = []
    for k, character in enumerate(text):
        if not character.isspace():
            follower.skip_blanks(in_double)
        run = (k, follower.line, follower.column)
        if not runs or run[1:] != (runs[-1][1], runs[-1][2] + k - runs[-1][0]):
            runs.append(run)
        follower.take(text[k : k + 2], in_double)
    return tuple(runs)


class _Follower:
    """A place in a file that follows the characters of a text."""

    def __init__(self, file: str, at: int, where: Where) -> None:
        self.file, self.at, self.line = file, at, where.line
        self.line_start = at - where.column + 1

    @property
    def column(self) -> int:
        return self.at - self.line_start + 1

    def move(self, to: int) -> None:
        if lines := self.file.count("\n", self.at, to):
            self.line, self.line_start = self.line + lines, self.file.rfind("\n", self.at, to) + 1
        self.at = to

    def skip_blanks(self, in_double: bool) -> None:
        file, to = self.file, self.at
        while file[to : to + 1].isspace() or (in_double and file[to : to + 2] == "\\\n"):
            to += 1 + (file[to] == "\\")
        self.move(to)

    def take(self, following: str, in_double: bool) -> None:
        """Goes past one character, as it is written."""
        file, at = self.file, self.at
        escape = _ESCAPED.match(file, at) if in_double else None
        if escape:
            self.move(escape.end())
        elif file[at : at + 2] == "''" != following:
            self.move(at + 2)
        elif file[at : at + 1] not in ("", "\n"):
            self.move(at + 1)


def _merged(entries: tuple[tuple[Scalar, Node], ...]) -> tuple[tuple[Scalar, Node], ...]:
    """Returns entries with those that a merge key `<<` takes over. A key of the map's own overrides
    these, and of several maps the earlier one counts (https://yaml.org/type/merge.html)."""
    taken = [source for key, value in entries for source in _taken_over(key, value)]
    if not taken:
        return entries
    own = tuple(entry for entry in entries if not any(_taken_over(*entry)))
    found: dict[str, tuple[Scalar, Node]] = {}
    for key, value in (entry for source in taken for entry in source.entries):
        found.setdefault(key.text, (key, value))
    return tuple({**found, **{key.text: (key, value) for key, value in own}}.values())


def _taken_over(key: Scalar, value: Node) -> tuple[Map, ...]:
    """Returns the maps that a merge key takes over. With another value `<<` is an ordinary name,
    and none are."""
    if key.text != "<<" or key.quoted:
        return ()
    sources = value.items if isinstance(value, Items) else (value,)
    maps = tuple(source for source in sources if isinstance(source, Map))
    return maps if len(maps) == len(sources) else ()


def _index(mark: Mark | None) -> int:
    """Returns how many characters stand before a mark."""
    assert mark is not None
    return mark.index


def escaped_surrogates(text: str) -> str:
    """Writes each lone surrogate as the escape that it was read from, since it is no character."""
    return text.encode("utf-8", errors="backslashreplace").decode("utf-8")


def size_of(node: Node, most: int) -> int:
    """Counts the nodes of a tree, up to about `most`."""
    count, waiting = 0, [node]
    while waiting and count <= most:
        count += 1
        waiting.extend(inner(waiting.pop()))
    return count


_LONGEST_INTEGER = 10_000
"""The most bits of an integer. Python writes none out that has many more."""

_PLAIN = (str, int, float, list, tuple, Mapping)
"""Types that are no arrays, so that nothing needs to be asked of them."""


def mapping_tree(mapping: Mapping[Any, object]) -> Map:
    """Returns the tree of a mapping. Raises ScenarioError for one that is nested too deeply, such
    as one that holds itself."""
    return _map(mapping, "", 1)


def _map(mapping: Mapping[Any, object], name: str, depth: int) -> Map:
    """Returns the map of the keys and values. A key that has None is left out."""
    entries = []
    for key, value in ((k, x) for k, x in mapping.items() if x is not None):
        inside = f"{name}.{key}" if name else str(key)
        entries.append((Scalar(str(key), _where(inside)), _node(value, inside, depth + 1)))
    return Map(tuple(entries), _where(name))


def _node(value: object, name: str, depth: int, entry: tuple[int, ...] = ()) -> Node:
    """Returns the node of a named value, or of an entry of it: by its numbers, from 1, in lists
    within lists, `layers[2]`, `W_Q[1, 2]`. Raises ScenarioError for what can't be read."""
    text = f"{name}{list(entry)}" if entry else name
    where = _where(text)
    if depth > DEEPEST + 1:
        raise scenario_error(where, _TOO_DEEP, _LESS_DEEP)
    array = None if isinstance(value, _PLAIN) else as_array(value)
    if array is not None:
        return _of_array(array, name, depth, entry)
    match value:
        case Mapping():
            return _map(value, text, depth)
        case list() | tuple() | range():
            items = (_node(x, name, depth + 1, (*entry, k)) for k, x in enumerate(value, 1))
            return Items(tuple(items), where)
        case set() | frozenset() | Iterator():
            wrong = f"what is in a {type(value).__name__} has no order that could be read again"
            raise scenario_error(where, wrong, "give a list")
        case bool() | np.bool_():
            return Scalar(str(value).lower(), where)
        case int() if value.bit_length() > _LONGEST_INTEGER:
            wrong = "this integer is outside the numbers that can be worked with"
            raise scenario_error(where, wrong, "give one whose size is at most 1e300")
        case _:
            return Scalar(str(value), where)


def _of_array(array: AnyArray, name: str, depth: int, entry: tuple[int, ...]) -> Node:
    """Returns an array of numbers as it is, and one of texts or of Python's own numbers as lists.
    Raises ScenarioError for any other."""
    where = _where(f"{name}{list(entry)}" if entry else name)
    if array.ndim and array.dtype.kind in "biuf":
        return Numbers(np.asarray(array, dtype=np.float64), where)
    if array.dtype.kind in "biufUO":
        return _node(array.tolist(), name, depth, entry)
    raise scenario_error(where, f"an array of {array.dtype}", "give one of numbers, or of texts")


def _where(name: str) -> Where:
    return Where(name or "mapping")
