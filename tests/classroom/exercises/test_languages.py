"""The words around an exercise: each language has all of them, and no paper has those of another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from typer.testing import CliRunner

from attncli import load
from attncli.classroom.exercises.papers import exercise, key_page, sheet_of
from attncli.classroom.exercises.requests import ExerciseRequest, WordsWanted
from attncli.classroom.exercises.tasks import hints_page, with_hints
from attncli.classroom.files.exercise_file import Frame
from attncli.cli import app
from attncli.document.blocks import (
    Callout,
    Document,
    Paragraph,
    Subheading,
    WordBlank,
    text_of_spans,
)
from attncli.document.languages import FrameWords, named_sentences_in, sentences_in, words_of
from attncli.document.questions import counted_points
from attncli.formats import RenderOptions, exercise_format_names, format_names, render
from attncli.formats.html.entry import entry_page
from attncli.option_values import LANGUAGES
from attncli.scenario.model import Phrase
from attncli.scenario.tokenizers.hugging_face import read
from attncli.scenario.tokenizers.settings import SAVED
from tests.classroom.made import SELF_MARKING, request_for
from tests.conftest import sampled
from tests.formats.test_latex import compiled, needs_exam, printed
from tests.helpers.pages import SHIPPED, trace_of

OTHERS = [language for language in LANGUAGES if language != "en"]
TELLING, SENTENCE = 5, 20
"""Letters by which a word that begins with a capital, or a sentence, can be told from what else a
page says."""


def texts(part: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """All texts of a table of words, by where they stand in it."""
    if isinstance(part, str):
        yield path, part
    elif isinstance(part, FrameWords):
        for name, value in part._asdict().items():
            yield from texts(value.texts, name)
    elif isinstance(part, Mapping):
        for name, value in part.items():
            yield from texts(value, f"{path}[{name}]")
    elif isinstance(part, list):
        for k, value in enumerate(part):
            yield from texts(value, f"{path}[{k}]")


def holes(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name)


@pytest.mark.parametrize("language", OTHERS)
def test_each_language_has_every_text_with_the_same_places(language: str) -> None:
    english, own = dict(texts(words_of("en"))), dict(texts(words_of(language)))
    assert own.keys() == english.keys()
    for name, text in own.items():
        assert holes(text) == holes(english[name]), name
        assert bool(text) == bool(english[name]), name


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", ["1 point", "0.5 points", "1.5 points", "2 points"]),
        ("de", ["1 Punkt", "0.5 Punkte", "1.5 Punkte", "2 Punkte"]),
        ("fr", ["1 point", "0.5 point", "1.5 point", "2 points"]),
        ("es", ["1 punto", "0.5 puntos", "1.5 puntos", "2 puntos"]),
    ],
)
def test_points_are_counted_as_the_language_does(language: str, told: list[str]) -> None:
    words = words_of(language)
    assert [counted_points(Decimal(entry), words) for entry in ("1", "0.5", "1.5", "2")] == told


@cache
def papers(language: str) -> Mapping[str, Document]:
    trace = trace_of(SHIPPED["word_order"])
    wanted = request_for(trace, "results", steps=["scale", "softmax"])
    whole = exercise(trace, wanted, "B", "attn exercise it", Frame(course="NLP", language=language))
    sheet, key, hints = sheet_of(whole), key_page(whole), hints_page(whole, trace)
    return {"exercise": with_hints(whole, trace), "sheet": sheet, "key": key, "hints": hints}


def own_words(language: str) -> set[str]:
    """What stands between the places of the texts."""
    found = (part for _, text in texts(words_of(language)) for part in re.split(r"\{\w+\}", text))
    return {part.strip(" \xa0.,:()") for part in found}


@pytest.mark.parametrize("language", OTHERS)
def test_no_paper_has_words_of_another_language(language: str) -> None:
    known = own_words(language)
    foreign = {
        word
        for other in LANGUAGES
        if other != language
        for word in own_words(other) - known
        if len(word) >= (TELLING if word[:1].isupper() else SENTENCE)
        and not any(word in entry for entry in known)
    }
    any_of = re.compile(rf"\b(?:{'|'.join(map(re.escape, foreign))})\b")
    for kind, paper in papers(language).items():
        for form in (*format_names(), *exercise_format_names()):
            if form == "json" or (form in SELF_MARKING) != (kind == "exercise"):
                continue
            text = " ".join(render(paper, form, RenderOptions(10_000)).split())
            assert not any_of.findall(text), (kind, form)


@pytest.mark.parametrize(
    ("language", "task"),
    [
        ("en", "Compute for the token “I”: the mean mean[I] (1 point); the four centered numbers"
         " centered (4 points); the variance variance[I] (1 point);"),
        ("de", "Berechnen Sie für das Token „I“: den Mittelwert mean[I] (1 Punkt); die vier"
         " zentrierten Zahlen centered (4 Punkte); die Varianz variance[I] (1 Punkt);"),
        ("fr", "Calculez pour le token «\xa0I\xa0»\xa0: la moyenne mean[I] (1 point); les quatre"
         " nombres centrés centered (4 points); la variance variance[I] (1 point);"),
        ("es", "Calcule para el token «I»: la media mean[I] (1 punto); los cuatro números centrados"
         " centered (4 puntos); la varianza variance[I] (1 punto);"),
    ],
)  # fmt: skip
def test_tasks_name_each_quantity_once(language: str, task: str) -> None:
    trace = trace_of(SHIPPED["encoder_block"])
    request = request_for(trace, steps=["norm"], token="I")
    whole = exercise(trace, request, "A", "it", Frame(language=language))
    (told,) = (
        text
        for block in whole.sections[0].blocks
        if isinstance(block, Paragraph)
        and "mean" in (text := text_of_spans(block.text))
        and "(" in text
    )
    assert told.startswith(task)


@pytest.mark.parametrize("language", OTHERS)
def test_what_steps_say_is_told_with_all_its_numbers(language: str) -> None:
    by_name = sentences_in(language)
    assert len(by_name) > 100
    for english, own in by_name.items():
        assert own
        assert own.count("{}") == english.count("{}"), english


def said(document: Document) -> Iterator[str]:
    """The texts of ours in a sheet's titles, sentences and subheadings."""
    blocks = [*document.opening]
    for section in document.sections:
        yield from (section.place, *(span for span in section.title if isinstance(span, str)))
        blocks += section.blocks
    for block in blocks:
        if isinstance(block, Paragraph | Subheading | Callout | WordBlank):
            yield from (span for span in block.text if isinstance(span, str))


@pytest.mark.parametrize("language", OTHERS)
def test_sentences_with_gaps_for_names_have_the_same_ones(language: str) -> None:
    named = {text: own for text, own in sentences_in(language).items() if holes(text)}
    assert len(named_sentences_in(language)) == len(named) > 0
    assert all(holes(own) == holes(text) for text, own in named.items())


WITH_QUESTIONS = [name for name in SHIPPED if name not in ("i_love_tennis", "tokenizers")]


@sampled(23, name=WITH_QUESTIONS, language=OTHERS)
def test_what_steps_say_on_sheets_is_translated(name: str, language: str) -> None:
    trace = trace_of(SHIPPED[name])
    english, translated = (
        sheet_of(exercise(trace, request_for(trace), "A", "", Frame(language=text)))
        for text in ("en", language)
    )
    known = {*sentences_in(language).values()}
    for before, now in zip(said(english), said(translated), strict=True):
        bare = re.sub(r"\d+", "{}", now).strip()
        ours = re.search("[a-z]{3}", re.sub("points?", "", now))  # which are French, too
        assert now != before or bare in known or not ours, before


ASKED = {
    "attends_most": SHIPPED["i_love_ai"],
    "which_mask": SHIPPED["i_love_tennis_causal"],
    "merged": SHIPPED["bpe"],
    "rounds[1].merged": SHIPPED["wordpiece"],
    "rounds[2].merged": SHIPPED["bpe"].replace(": bpe", ": {kind: bpe, ties: first}", 1),
}


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("question", ASKED)
def test_questions_in_words_are_asked_in_a_language(question: str, language: str) -> None:
    """None of their sentences is left in English."""
    wanted = ExerciseRequest((), words=(WordsWanted(question),))
    asked = exercise(trace_of(ASKED[question]), wanted, "A", "", Frame(language=language))
    blocks = [block for s in sheet_of(asked).sections for block in s.blocks]
    lines = [span for block in blocks if isinstance(block, WordBlank) for span in block.text]
    assert lines
    left = " ".join(span for span in lines if isinstance(span, str))
    assert not re.search(r"\b(the|which|Among|Of|and|attend|merged)\b", left), left


def test_numbers_and_hashes_know_no_language() -> None:
    english, german = (papers(language)["exercise"] for language in ("en", "de"))
    assert english.paper is not None
    assert german.paper == english.paper._replace(language="de")
    assert [s.questions for s in german.sections] == [s.questions for s in english.sections]


TOKENIZERS: Sequence[Mapping[str, Any]] = (
    {"tokenizer": {"kind": "bpe", "ties": "first"}, "merges": 2},
    {"tokenizer": {"kind": "bpe", "min_count": 2}, "merges": 1, "vocabulary_size": 12},
    {"tokenizer": {"kind": "bpe", "alphabet": "bytes", "marks": "Ġ"}, "vocabulary_size": 260},
    {"tokenizer": {"kind": "wordpiece", "cut": "bert"}, "vocabulary_size": 12},
    {"tokenizer": {"kind": "wordpiece", "cut": "bert_cased", "score": "count"}, "merges": 1},
    {"tokenizer": {"kind": "unigram", "training": "counts", "whole": False}, "vocabulary_size": 9},
    {"tokenizer": {"kind": "unigram", "training": "expected"}, "vocabulary_size": 9},
    {"tokenizer": {"kind": "sentencepiece", "normalize": "none"}, "vocabulary_size": 12},
    {
        "tokenizer": {"kind": "sentencepiece", "extra_spaces": "kept", "byte_fallback": True},
        "vocabulary_size": 300,
    },
    {"tokenizer": {"kind": "word"}},
    {"tokenizer": {"kind": "word", "min_count": 2}, "vocabulary_size": 5},
)


def phrases() -> Iterator[Phrase]:
    """What is said of tokenizers of all kinds, and of those that were saved."""
    for settings in TOKENIZERS:
        corpus = {"sentence": "hug pug", "corpus": "hug pug pun bun hug hug pug"}
        tokenizing = load({**corpus, **settings}).text.tokenizing
        assert tokenizing is not None
        yield from tokenizing.phrases
    for written in ({"type": "NFC"}, None):
        for cut in ({"type": "Whitespace"}, None):
            model = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
            parts = {"model": model, "normalizer": written, "pre_tokenizer": cut}
            yield read(json.dumps(parts))[SAVED].phrase


def texts_in(phrase: Phrase) -> Iterator[str]:
    yield phrase.text
    for said in phrase.gaps.values():
        yield from texts_in(said) if isinstance(said, Phrase) else ()


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_said_of_a_tokenizer_is_translated(language: str) -> None:
    texts = {text for phrase in phrases() for text in texts_in(phrase)}
    assert len(texts) > 30
    assert texts <= sentences_in(language).keys()


@needs_exam
@pytest.mark.parametrize("language", OTHERS)
def test_tex_prints_the_letters_of_a_language(tmp_path: Path, language: str) -> None:
    compiled(tmp_path, render(papers(language)["sheet"], "latex", RenderOptions(80)))
    page = printed(tmp_path)
    own = words_of(language).paper
    for word in (own.worksheet, own.date, own.many_points):
        assert word in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_to_type_papers_into_is_in_a_language(language: str) -> None:
    words = words_of(language).entry
    page = entry_page("Exam <1>", {}, language)
    assert f'<html lang="{language}">' in page
    assert words.teachers_only in page
    assert f"<h1>{words.heading.format(title='Exam &lt;1&gt;')}</h1>" in page
    assert "<kbd>Ctrl+Enter</kbd>" in page


def test_a_language_that_there_is_not_is_told(tmp_path: Path) -> None:
    exam = tmp_path / "exam.yaml"
    exam.write_text("exercise: It\nscenario: i_love_ai\nlanguage: it\n")
    result = CliRunner().invoke(app, ["exercise", str(exam), "-o", str(tmp_path / "exam/")])
    assert result.exit_code == 2
    assert "exam.yaml:3:11" in result.output
    for language in LANGUAGES:
        assert language in result.output
    result = CliRunner().invoke(app, ["exercise", "i_love_ai", "--language", "it"])
    assert result.exit_code == 2
    assert "--language it: no such choice" in result.output
