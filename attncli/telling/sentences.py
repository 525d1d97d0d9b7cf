"""What sentences are put together from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from attncli.document import Span, Spans
from attncli.word import Word


def counted(count: int, noun: str) -> str:
    """`1 token`, `3 tokens`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def put_in(template: str, **parts: Spans | str) -> Spans:
    """A sentence with what is put in for each `{name}` of it."""
    spans: list[Span] = []
    for text, name in _fields(template):
        part = parts[name] if name else ()
        for span in (text, *((part,) if isinstance(part, str) else part)):
            if spans and isinstance(span, str) and isinstance(spans[-1], str):
                spans[-1] += span
            elif span != "":
                spans.append(span)
    return tuple(spans)


@lru_cache(maxsize=512)
def _fields(template: str) -> tuple[tuple[str, str], ...]:
    """The texts of a template, each with the name of what comes after it."""
    parts = [part.partition("{")[::2] for part in template.split("}")]
    return tuple(part for part in parts if any(part))


def joined(parts: Iterable[Spans], by: str = ", ") -> Spans:
    """Some running texts as one, with a comma between them or whatever else."""
    spans: list[Span] = []
    for part in parts:
        spans += [by, *part] if spans else part
    return tuple(spans)


def enumerated(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), *names[-1:]] if names[1:] else names)


def words_enumerated(names: Sequence[str]) -> Spans:
    """The same of somebody's words, each one by itself."""
    *others, last = (Word(name) for name in names)
    return (*joined((other,) for other in others), *((" and ",) if others else ()), last)


def in_turns(names: Sequence[str]) -> Iterator[str]:
    """Names one after the other, those that come several times in turn once: `a, 3 × (b, c)`."""
    start = 0
    while start < len(names):
        size, times = max(_turns(names[start:]), key=lambda one: one[0] * (one[1] - 1))
        told = " → ".join(names[start : start + size])
        yield told if times == 1 else f"{times} × {told}" if size == 1 else f"{times} × ({told})"
        start += size * times


def _turns(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """How often the first names come in turn, for each number of them."""
    yield 1, 1
    for size in range(1, len(names) // 2 + 1):
        times = 1
        while names[times * size : (times + 1) * size] == names[:size]:
            times += 1
        yield size, times
