"""Answers of `attn explain`: the page of the question that a text asks, of what the text names, or
of what is near."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from attncli.document.blocks import (
    Callout,
    DefinitionList,
    Document,
    PageData,
    Paragraph,
    Spans,
    Term,
)
from attncli.names import Word
from attncli.pages.question_page import question_page, with_terms
from attncli.pages.questions import (
    WORD,
    Question,
    nearest_to,
    questions,
    questions_about,
    questions_with,
    step_asked_for,
)
from attncli.steps.order import STORY, keys_of, step_named
from attncli.steps.schema import SCENARIO


class Named(NamedTuple):
    """What a scenario may say, or what a step makes."""

    word: str
    says: str
    """What it is."""
    step: str
    """The step that takes or makes it; none where it is no step's."""

    @property
    def line(self) -> DefinitionList:
        """Returns the line that tells it."""
        return DefinitionList(((self.word, tuple(with_terms(self.says))),))


def named(word: str) -> Named | None:
    """Finds the key or the quantity of a name, in whatever case it is written; a key comes first.
    None where there is none."""
    keys = {key.name.casefold(): key for key in SCENARIO.keys}
    owners = keys_of("stack", "attention", "layer", "cell", "way", "file").owners
    key = keys.get(word.casefold())
    if key is not None:
        return Named(key.name, key.says, owners.get(key.name, ""))
    for step in map(step_named, STORY):
        for name in step.results.names:
            if name.casefold() == word.casefold():
                return Named(name, f"made by the step {step.name}: {step.words.shapes}", step.name)
    return None


def answer(text: str) -> Document | None:
    """Answers a text: with the page of the question that it asks, with the list of several that
    share as much with it, or of all where it is empty. None where it is the name of what a step
    takes or makes, or where no question has its words."""
    if not text:
        return questions_page()
    if text in questions():
        return question_page(questions()[text])
    known = named(text)
    if known is not None:
        return _page_on(known)
    return _page_for(text)


def _page_for(text: str) -> Document | None:
    """Returns the page for words in which somebody asks; a step that these name is told first."""
    if nearest := nearest_to(text):
        page = questions_page(nearest, "Nearest to your question")
        says = Paragraph(("No question has these words. Nearest to them:",))
        steps = dict.fromkeys(map(step_asked_for, WORD.findall(text)))
        return page._replace(closing=(says, *page.closing, *map(_itself, filter(None, steps))))
    found = questions_with(text)
    if not found:
        return None
    page, step = _page_of(found), step_asked_for(text)
    if not step:
        return page
    is_tried = any(_itself_typed(step) in question.tries.values() for question in found)
    return page if is_tried else page._replace(closing=(*page.closing, _itself(step)))


def _itself(step: str) -> Callout:
    """Says how one is shown a step."""
    return Callout((f"The step {step} by itself? ", Term(_itself_typed(step))))


def _itself_typed(step: str) -> str:
    return f"attn explain {step}"


def asked_about(word: str) -> tuple[Callout, ...]:
    """Says how the questions are asked that a word is among the words of."""
    return tuple(
        Callout((f"{question.title} ", Term(f"attn explain {question.key}")))
        for question in questions_about(word)
    )


def _page_of(found: Sequence[Question]) -> Document:
    return question_page(found[0]) if len(found) == 1 else questions_page(found, "Which of these?")


def _page_on(known: Named) -> Document | None:
    """Returns the page of the question that has a name among its words, or the list of several;
    where none has it, None for what is a step's, and else a page that tells what it is."""
    about = questions_about(known.word)
    if len(about) == 1:
        page = question_page(about[0])
        return page._replace(about=(known.line, *page.about))
    if about:
        return questions_page(about, known.word)._replace(facts=known.line)
    more = Callout(("More of it: ", Term(f"attn help {known.word}")))
    return None if known.step else Document(Word(known.word), (), known.line, closing=(more,))


def questions_page(some: Iterable[Question] = (), title: str = "Questions") -> Document:
    """Returns the list of some questions, or of all."""
    shown = [*some] or [*questions().values()]
    rows = tuple((question.key, (question.title,)) for question in shown)
    how: Spans = (
        Term("attn explain why_positions"), ", or in your own words: ",
        Term("attn explain why divide by sqrt d_k"), ". A step by its name: ",
        Term("attn explain softmax"), ", all of them: ", Term("attn explain steps"), ".",
    )  # fmt: skip
    told = {"questions": [{"name": q.key, "title": q.title} for q in shown]}
    data = PageData(told=told)
    return Document(Word(title), (), closing=(DefinitionList(rows), Callout(how)), data=data)
