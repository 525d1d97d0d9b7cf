"""Moodle XML: cloze questions, one a form, whose blanks are fields that mark themselves; essays.

A blank is such a field: `{2:NUMERICAL:=0.42:0.005#why~%50%0.58:0.005#why}`.

Each question holds all that it takes to answer it, so that a quiz can draw one at random. What
can't be said twice: mathematics is left to Moodle's MathJax, as `\\(…\\)`; a field can't stand
inside it, and neither do somebody's words. The text of a question is searched for fields and for
their numbers, `{#1}`, so that no brace of anybody's words is left in it.

How Moodle reads fields (question/type/multianswer/questiontype.php, question/type/numerical):

* A field ends at the first `}` without a backslash before it, an alternative at such a `~`, an
  answer at such a `#`. A feedback then has its HTML entities decoded, and `\\}` and `\\#` replaced
  by `}` and `#`; nothing turns `\\~` or `\\\\` back, so that these are written as entities.
* An answer is a number and how far from it one may be, both ends included. The first one that
  earns all is what is shown as right.
* A field's weight is a whole number; the points of a question are their sum. Where all are 0, only
  newer versions mark it, as a question worth nothing: older ones divide by the sum. What doesn't
  count at all is a description here, which Moodle shows and doesn't mark.
* The visible size of a field is that of its longest answer, as a number and not as it was written:
  zeros in front or behind are lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import count, groupby
from math import lcm
from typing import NamedTuple

from attncli.classroom.formats._essays import Essay, essays_of, without_essays
from attncli.classroom.formats._self_marking import (
    DECLARATION,
    LEVEL,
    LOOKS,
    MASKED,
    Alternatives,
    SelfMarking,
    TakenWrong,
    answer_of,
    cdata,
    headings,
    hinted,
    interval_text,
    number_text,
    whole,
    written_answers,
    xml,
)
from attncli.classroom.formats.yaml import paper_of
from attncli.document.blocks import DefinitionList, Document, Pool, Section
from attncli.document.languages import Words
from attncli.document.questions import (
    OWN_FORM,
    Interval,
    Item,
    Paper,
    RightWords,
    points_text,
)
from attncli.formats import FormatInfo, PaperAbilities, RenderOptions
from attncli.formats.html.blocks import HtmlStyle, escaped, facts_html, isolating
from attncli.maths.equations.tree import Blank, Equation, Expression
from attncli.maths.notation.escaping import ISOLATE, POP, isolated, printed, visible
from attncli.maths.notation.latex import latex
from attncli.maths.numbers import decimals
from attncli.names import Word

SUFFIXES = (".xml",)
ABILITIES = FormatInfo(
    PaperAbilities(
        keys=("embedded",),
        self_keyed=True,
        hints="embedded",
        share=50,
        gathered=True,
        draws="questions",
    )
)
"""A field holds what is right, so the exercise itself is written, not a sheet and a key."""

_OBEYED = re.compile(r"[{}\\~$@`]")
"""What Moodle or its filters might take for a field, mathematics or the address of a file."""
_SIMPLE = re.compile(rf"[\w ,.'!?·…=≈+−×/√→⋮\[\]{ISOLATE}{POP}-]*")
_NO_MATHEMATICS = "tex2jax_ignore mathjax_ignore"
_LIKE_A_FIELD = re.compile(r"\{(?=[0-9]*:|#)")
_LONGEST_NAME = 255
_ENTITY = re.compile("&(?=#?[A-Za-z0-9]+;)")


def text(line: str) -> str:
    """Escapes a text, so that it has nothing that HTML, Moodle or its filters would obey."""
    return _OBEYED.sub(lambda found: f"&#{ord(found[0])};", escaped(line))


def word(line: str) -> str:
    """Writes a text with somebody's words in it; what could be mathematics or a smiley is kept from
    the filters."""
    words = isolating(text(line))
    if _SIMPLE.fullmatch(line):
        return words
    return f'<span class="nolink"><bdi class="{_NO_MATHEMATICS}">{words}</bdi></span>'


def mathematics(node: Expression | Equation) -> str:
    """Writes an expression for MathJax, to which a space after a brace makes no difference."""
    return rf"\({escaped(_LIKE_A_FIELD.sub('{ ', latex(node)))}\)"


def name_of(title: Word, rest: str) -> str:
    """Returns the name of a question, its title cut where Moodle has no room for it. Moodle takes
    tags out of names, and entities for what they mean."""
    shown, room = visible(title)[:_LONGEST_NAME], _LONGEST_NAME
    while len(name := isolated(_without_tags(f"{shown}{rest}"[:room]))) > _LONGEST_NAME:
        shown, room = (f"{shown[:-2]}…", room) if len(shown) > 1 else ("…", room - 1)
    return name


def _without_tags(text: str) -> str:
    return _ENTITY.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")


_LEAST_WIDTH, _MOST_WIDTH = 6, 18
"""Moodle makes fields of more than some characters longer by chance; 18 digits keep a whole
number from becoming a fraction with an exponent."""
_STAR = r"\*"
_OBEYED_IN_FIELDS = re.compile(r"[\\~{}&#]")
_HASH = r"\#"
_KEPT = re.compile(r"[\\~{}]")


class Size(NamedTuple):
    """A question's measures, which all of its fields have in common."""

    filler: str
    """The answer that makes all fields equally wide."""
    scale: int
    """What points are multiplied by, since Moodle's weights are whole numbers."""

    @classmethod
    def of(cls, questions: Iterable[Item], asked: Sequence[Alternatives]) -> Size:
        parts = (Fraction(question.points).denominator for question in questions)
        return cls(filler(asked), lcm(*parts))

    def weight(self, question: Item) -> int:
        return int(question.points * self.scale)


def field(
    question: Item,
    alternatives: Alternatives,
    right: str,
    wrong: Callable[[TakenWrong], str],
    size: Size,
) -> str:
    """Writes a blank as a field; `right` and `wrong` are what is said, in HTML."""
    parts = [f"={text}#{in_field(right)}" for text in _right(alternatives)]
    parts += [
        f"%{slip.share}%{interval_text(slip.mistake.accepted)}#{in_field(wrong(slip))}"
        for slip in alternatives.slips
    ]
    return f"{{{size.weight(question)}:NUMERICAL:{'~'.join([*parts, f'%0%{size.filler}:0'])}}}"


def _right(alternatives: Alternatives) -> Iterable[str]:
    """Lists what is right: first the answer, with as much around it as is accepted on both sides,
    then all that is accepted."""
    below = decimals.difference(alternatives.answer, alternatives.right.low)
    above = decimals.difference(alternatives.right.high, alternatives.answer)
    near = max(Decimal(0), min(below, above))
    return dict.fromkeys(
        (
            f"{number_text(alternatives.answer)}:{number_text(near)}",
            interval_text(alternatives.right),
        )
    )


def masked_field(question: Item, line: str, size: Size) -> str:
    """Writes a blank that holds −∞, as a short answer."""
    content = in_field(line)
    parts = [*(f"={text}#{content}" for text in MASKED), f"%0%{size.filler}"]
    return f"{{{size.weight(question)}:SHORTANSWER:{'~'.join(parts)}}}"


def word_field(question: Item, key: RightWords, line: str, size: Size) -> str:
    """Writes a blank that is answered in words: a choice, or a short answer whatever its letters'
    case."""
    content, weight = in_field(line), size.weight(question)
    if key.labels:
        options = (in_field(text(printed(option)).replace("*", "&#42;")) for option in key.options)
        choices = [
            f"={option}#{content}" if k in key.right else option for k, option in enumerate(options)
        ]
        return f"{{{weight}:MULTICHOICE:{'~'.join(choices)}}}"
    # a star would stand for any text
    parts = [f"={as_typed(w.replace('*', _STAR))}#{content}" for w in written_answers(key)]
    return f"{{{weight}:SHORTANSWER:{'~'.join([*parts, f'%0%{size.filler}'])}}}"


def as_typed(answer: str) -> str:
    """Escapes a text for an answer, from which Moodle gets just that text again."""
    return _OBEYED_IN_FIELDS.sub(
        lambda found: _HASH if found[0] == "#" else f"&#{ord(found[0])};", answer
    )


def in_field(html: str) -> str:
    """Escapes HTML for a feedback, from which Moodle gets just that HTML again."""
    kept = _KEPT.sub(lambda found: f"&#{ord(found[0])};", html)
    return kept.replace("&", "&amp;").replace("#", r"\#")


def filler(asked: Sequence[Alternatives]) -> str:
    """Finds a number as long as the longest answer of a file, and apart from all of them.

    As an answer that earns nothing, like any other wrong number, it gives all fields one size and
    changes no marks.
    """
    intervals = [interval for a in asked for interval in a.intervals]
    numbers = (number for a in asked for number in a.numbers)
    longest = max((len(number_text(number)) for number in numbers), default=0)
    for width in count(min(max(_LEAST_WIDTH, longest), _MOST_WIDTH)):
        number = Decimal(f"-{'9' * (width - 1)}")
        if all(map(Interval(number, number).is_apart, intervals)):
            return f"{number}"
    raise AssertionError("there is always a longer number")


_ABOUT = """\
All fields of a question have one size: that of its longest answer, which each field has as its
last answer, worth nothing. Moodle adds to it by chance, which the style in the questions undoes.
A field whose answer isn't the middle of what is accepted has it twice: first the answer, which is
what Moodle shows as right, then all that is accepted."""
_FIELDS = """\
.attn aside { border-left: 3px solid rgba(127, 127, 127, .4); padding-left: 1em }
.attn input[type=text] { width: SIZEch !important; display: inline-block }
"""
_ROOM_FOR_BORDERS = 4


def render(document: Document, page: RenderOptions) -> str:
    """Writes a form as a file of one question."""
    return render_forms([document], page)


def render_forms(documents: Sequence[Document], page: RenderOptions) -> str:  # noqa: ARG001
    """Writes all forms of an exercise as a category, with a question each; what a person marks
    stands in a category of its part, once for all forms, and a pool in one of its own. Raises
    ValueError for a document that doesn't say what is right."""
    wholes = [*map(without_essays, documents)]
    questions = [_question(_Exercise.of(whole)) for whole in wholes if whole.items]
    left = documents[0].answers.left_to_draw
    pools = () if left is None else left.pools()
    essays = essays_of(documents, pools)
    start = f"{DECLARATION}\n<quiz>\n<!--\n{_ABOUT}\n-->"
    inside = [_category(documents[0]), *questions, *_essays(documents[0], essays)]
    inside += [*_without_pools(documents), *_pools(documents[0], pools)]
    return "\n".join([start, *inside, "</quiz>"]) + "\n"


def _essays(document: Document, essays: Sequence[Essay]) -> Iterator[str]:
    """Writes the questions that a person marks, by the categories of their parts."""
    for part, own in groupby(essays, lambda essay: essay.part):
        yield _category(document, part)
        yield from (_essay(document, essay) for essay in own)


def _without_pools(documents: Sequence[Document]) -> Iterator[str]:
    """Writes the forms without what they drew, in a category, where there is more."""
    left = [document.answers.left_to_draw for document in documents]
    rests = [without_essays(own.rest) for own in left if own is not None and own.rest is not None]
    if any(rest.items for rest in rests):
        words = paper_of(documents[0], "moodle").words.files
        yield _category(documents[0], words.without_pools)
        yield from (_question(_Exercise.of(rest)) for rest in rests)


def _pools(document: Document, pools: Sequence[Pool]) -> Iterator[str]:
    """Writes each pool as a category, from which Moodle can draw."""
    words = paper_of(document, "moodle").words.files
    for pool in pools:
        yield _category(document, category_of(pool, words))
        for page in pool.questions:
            named = page._replace(title=pool.title)
            marked = without_essays(named)
            if marked.items:
                yield _question(_Exercise.of(marked), marked.items[0].id)
            yield from (_essay(named, essay) for essay in essays_of([named]))


def category_of(pool: Pool, words: Words) -> str:
    """Returns the name of a pool's category."""
    return words.pool.format(title=visible(pool.title), count=pool.take)


def _essay(document: Document, essay: Essay) -> str:
    """Writes a question that a person marks, with room for the answer and, for who marks it, what
    it is marked by."""
    name = name_of(document.title, _after([visible(essay.title)]))
    mark = f"{paper_of(document, 'moodle').hash}-{essay.item.id}"
    return f"""\
  <question type="essay">
    <name><text>{xml(name)}</text></name>
    <questiontext format="html">
      <text>{cdata(whole([essay.asked(_style)]))}</text>
    </questiontext>
    <generalfeedback format="html"><text></text></generalfeedback>
    <defaultgrade>{points_text(essay.item.points)}</defaultgrade>
    <penalty>0</penalty>
    <hidden>0</hidden>
    <idnumber>{xml(mark)}</idnumber>
    <responseformat>editor</responseformat>
    <responserequired>1</responserequired>
    <responsefieldlines>{essay.lines}</responsefieldlines>
    <attachments>0</attachments>
    <attachmentsrequired>0</attachmentsrequired>
    <graderinfo format="html">
      <text>{cdata(whole([essay.marked_by(_style)]))}</text>
    </graderinfo>
    <responsetemplate format="html"><text></text></responsetemplate>
  </question>"""


class _Exercise(NamedTuple):
    """A form, and what its fields have in common."""

    form: SelfMarking
    size: Size

    @classmethod
    def of(cls, document: Document) -> _Exercise:
        form = SelfMarking.of(document, paper_of(document, "moodle"))
        return cls(form, Size.of(document.items, list(form.alternatives.values())))

    def field(self, question: Item) -> str:
        if question.words is not None:
            answers = " / ".join(word(printed(a)) for a in question.words.answers)
            right = self.words.right.format(number=answers)
            return word_field(question, question.words, right, self.size)
        right = self.words.right.format(number=text(self.form.right(question)))
        if question.id not in self.form.alternatives:
            return masked_field(question, right, self.size)
        return field(question, self.form.alternatives[question.id], right, self._said_of, self.size)

    def _said_of(self, slip: TakenWrong) -> str:
        earns = self.words.earns.format(share=slip.share) if slip.share else ""
        return f"<b>{word(slip.name)}:</b> {word(slip.mistake.says)}{earns}"

    @property
    def words(self) -> Words:
        return self.form.paper.words.files


def _category(document: Document, part: str = "") -> str:
    """Writes where the questions go: by title and steps, those of an exam by its title, and by one
    of its parts; for teachers also what made them."""
    paper = paper_of(document, "moodle")
    steps = () if paper.is_exam else headings(document)
    name = name_of(document.title, _after(steps)).replace("/", "//")
    if part:
        name += f"/{name_of(Word(part), '').replace('/', '//')}"
    origin = paper.origin
    made = DefinitionList(tuple((name, (word,)) for name, word in origin))
    info = facts_html(made, _style(answer_of))
    return f"""\
  <question type="category">
    <category><text>$course$/top/{xml(name)}</text></category>
    <info format="html"><text>{cdata(info)}</text></info>
  </question>"""


def _after(parts: Iterable[str]) -> str:
    return "".join(f" · {part}" for part in parts)


def _question(exercise: _Exercise, first: str = "") -> str:
    """Writes a form as a question, or as a description where nothing of it counts; one of a pool is
    called by the `first` of its blanks."""
    document, paper = exercise.form.document, exercise.form.paper
    names = (visible(Word(first)),) if first else exercise.form.names
    name = name_of(document.title, _after(names))
    form = paper.words.paper.one_form.format(form=paper.form)
    tags = (f"<tag><text>{xml(tag)}</text></tag>" for tag in (form, paper.hash))
    counts = any(item.points for item in document.items)
    return f"""\
  <question type="{"cloze" if counts else "description"}">
    <name><text>{xml(name)}</text></name>
    <questiontext format="html">
      <text>{cdata(_asked(exercise, exercise.field if counts else _to_fill_in))}</text>
    </questiontext>
    <generalfeedback format="html">
      <text>{cdata(whole(exercise.form.solved(_style)))}</text>
    </generalfeedback>
    <penalty>{"0.3333333" if counts else "0"}</penalty>
    <hidden>0</hidden>
    <idnumber>{xml(f"{paper.hash}-{paper.form}")}</idnumber>
    <tags>{"".join(tags)}</tags>{"".join(map(_hint, document.answers.hints))}
  </question>"""


def _to_fill_in(question: Item) -> str:
    """Writes the place of an answer that Moodle doesn't ask for, with the options if there are
    any."""
    options = () if question.words is None else question.words.options
    return " / ".join(word(printed(option)) for option in options) or "………"


def _asked(exercise: _Exercise, field: Callable[[Item], str]) -> str:
    fields = _FIELDS.replace("SIZE", str(len(exercise.size.filler) + _ROOM_FOR_BORDERS))
    looks = f"<style>\n{LOOKS}{fields}</style>"
    return whole((looks, *exercise.form.asked(_style, field), _mark(exercise.form.paper)))


def _mark(paper: Paper) -> str:
    """Says which form it is, which Moodle's exports tell with the text of the question."""
    words = paper.words
    line = words.files.paper.format(hash=paper.hash)
    if paper.form != OWN_FORM:
        line = words.paper.called.format(paper=line, form=paper.form)
    return f"<p><small>{text(line)}</small></p>"


def _hint(sections: Sequence[Section]) -> str:
    return f"""
    <hint format="html">
      <text>{cdata(whole(hinted(sections, _style)))}</text>
      <shownumcorrect/>
      <clearwrong/>
    </hint>"""


def _style(blank: Callable[[Blank], str]) -> HtmlStyle:
    return HtmlStyle(text, word, mathematics, blank, LEVEL + 1)
