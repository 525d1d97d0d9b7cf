"""The fields of sheets that check themselves, and what tells the page's script what is right."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from attncli.arithmetic.expression import Blank
from attncli.document import Document, WordBlank
from attncli.languages.words import CheckWords
from attncli.notation.words import visible
from attncli.questions import Seal, SelfCheck
from attncli.render.html.blocks import embedded, escaped, set_apart
from attncli.render.sentences import text_of_spans
from attncli.word import Word

_UNTOLD = '<span class="untold" role="img" aria-label="…">▢</span>'
"""In the place of a number that is asked for elsewhere, or would tell what is asked for."""
_MORE = 2
"""Characters that a field has room for besides the longest answer."""
_IN_WORDS = 24


class AnswerFields:
    """The fields of one page, in their order."""

    def __init__(self) -> None:
        self._seals: list[Seal] = []

    def of(self, document: Document) -> SheetFields | None:
        """How those of a sheet are written; None where it can't check itself."""
        check = document.check
        return None if check is None else SheetFields(check, dict(check.seals), self._seals)

    @property
    def any(self) -> bool:
        return bool(self._seals)

    def script(self, words: CheckWords) -> str:
        """What tells right answers from others, for the page's script."""
        seals = [[seal.salt, seal.levels, "".join(seal.digests)] for seal in self._seals]
        said = words._asdict()
        states = {name: said[name] for name in ("right", "wrong", "unreadable", "tally")}
        return embedded({"words": states, "seals": seals})


class SheetFields(NamedTuple):
    """The fields of a sheet: of its seals by the ids of its blanks, `left` are those that have
    none yet; `placed` are those of the whole page."""

    check: SelfCheck
    left: dict[str, Seal]
    placed: list[Seal]

    def number(self, blank: Blank) -> str:
        """A field for a number, where it is asked for first."""
        return self._placed(blank.id, visible(Word(blank.id)), "number", self._to_type_a_number)

    def answered(self, block: WordBlank) -> str:
        """A field to write in, or options to choose from."""
        asked = text_of_spans(block.text, visible)
        if block.labels:
            return f"<div>{self._placed(block.id, asked, 'choice', partial(_options, block))}</div>"
        return f"<p>{self._placed(block.id, asked, 'words', _to_write)}</p>"

    def _placed(self, id_: str, name: str, kind: str, inside: Callable[[int, str], str]) -> str:
        if id_ not in self.left:
            return _UNTOLD
        place = len(self.placed)
        self.placed.append(self.left.pop(id_))
        return f'<span class="field" data-kind="{kind}">{inside(place, escaped(name))}</span>'

    def _to_type_a_number(self, _: int, name: str) -> str:
        # the keys that a telephone shows for decimals may have no minus
        mode = "" if self.check.signed else ' inputmode="decimal"'
        return _input(name, self.check.width + _MORE, mode)


def _to_write(_: int, name: str) -> str:
    return _input(name, _IN_WORDS)


def _input(name: str, size: int, more: str = "") -> str:
    """What is the same for all of them is for the script to say: a page may have hundreds."""
    return f'<input aria-label="{name}" size="{size}"{more}>'


def _options(block: WordBlank, place: int, name: str) -> str:
    """Options to choose one of, by what they are called."""
    told = [
        f"{escaped(label)}) {set_apart(visible(option))}"
        for label, option in zip(block.labels, block.options, strict=False)
    ]
    choices = "".join(
        f'<label><input type="radio" name="f{place}"> {one}</label>'
        for one in told or map(escaped, block.labels)
    )
    return f'<span class="options" role="radiogroup" aria-label="{name}">{choices}</span>'


def bar_of(words: CheckWords) -> str:
    """What stands above sheets: how to answer, how many answers are right, what can be done."""
    return f"""\
<div id="check" hidden>
<p>{escaped(words.how_to)}</p>
<div class="bar"><strong class="tally"></strong>
<button type="button" class="all">{escaped(words.check_all)}</button>
<button type="button" class="clear">{escaped(words.clear)}</button>
<span role="status"></span></div>
</div>
"""
