"""What keys accept: all right answers of students who round in ways of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from attncli.classroom.exercises import answer_keys
from attncli.classroom.exercises.blanked import taken
from attncli.classroom.forms.new_scenario import Sizes, sketch, text_of
from attncli.classroom.lint import weaknesses
from attncli.classroom.paper_files import form_names, variants
from attncli.formats import RenderOptions, render
from attncli.judging.verdicts import read_number
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Number, Quotient, Root
from attncli.maths.numbers.rounding import Array
from attncli.maths.operations.activations import DivideBy
from attncli.names import Word
from attncli.pipeline.plain_data import plain_data
from attncli.trace import Definition, Trace
from tests.classroom.made import papers, questions, request_for
from tests.classroom.stress import report, stress, trial
from tests.conftest import THOROUGH
from tests.helpers import honest_papers
from tests.helpers.honest_paths import round_half_away
from tests.helpers.pages import SHIPPED, trace_of
from tests.oracle import UnknownError

FORMS = 3
_REMEDY = re.compile(r"rounding.decimals=(\d+) with rounding.quantities=\{(\S+): (\d+)\}")
Rounds = Callable[[Trace, Definition, str], bool]
"""Whether an operand of something is taken as it was rounded."""


def keeps_memory_within_a_step(trace: Trace, made: Definition, operand: str) -> bool:
    return trace.part_of(operand) is not trace.part_of(made.name)


def rounds_only_the_heads(trace: Trace, made: Definition, operand: str) -> bool:  # noqa: ARG001
    return operand.endswith("output")


def rounds_always(*_: object) -> bool:
    return True


def rounds_never(*_: object) -> bool:
    return False


def answers(trace: Trace, rounds: Rounds, *, as_printed: bool = False) -> dict[str, Array]:
    """What a student writes down, who may divide by √d_k as it is printed, to three decimals."""
    full: dict[str, Array] = {}
    written: dict[str, Array] = {}
    for name in trace:
        definition = trace[name].definition
        if definition is None:
            full[name] = trace[name].values
            continue
        operands = []
        for operand in definition.operands:
            rounded = operand in written and rounds(trace, definition, operand)
            values = written[operand] if rounded else full[operand]
            operands.append(Matrix.of_array(values, 12, carry=False))
        made = definition.operation.values(*operands)
        match definition.operation:
            case DivideBy(tree=Quotient(divisor=Root(Number() as square))) if as_printed:
                made = operands[0].values / float(round(square.full.sqrt(), 3))
        full[name] = made
        if not definition.operation.copies:
            places = trace.rounding.decimals_of(definition.step, trace[name].name)
            written[name] = round_half_away(made, places)
    return {**full, **written}


STUDENTS = (
    (keeps_memory_within_a_step, False),
    (rounds_only_the_heads, False),
    (rounds_always, True),
    (rounds_never, True),
)


@pytest.mark.parametrize(
    "called", ["i_love_ai", "pasta_lookup", "three_tokens_two_heads scale=sqrt_d_k"]
)
def test_no_right_answer_is_rejected(called: str) -> None:
    name, *changes = called.split()
    trace = trace_of(SHIPPED[name], *changes)
    wanted = request_for(trace)
    made = variants(trace, wanted, FORMS, 7, ("sums", "edges", "difficulty"))
    for form, variant in zip(form_names(FORMS), made, strict=True):
        page = taken(variant, wanted, form)
        judge = page.judge
        for rounds, as_printed in STUDENTS:
            theirs = answers(variant, rounds, as_printed=as_printed)
            cells = [place.cell for place in page.places if place.cell is not None]
            texts = {
                at: f"{theirs[at.quantity][at[1:]]:.{judge.key.decimals(at.quantity)}f}"
                for at in cells
            }
            given = {at: read_number(text) for at, text in texts.items()}
            assert {v.judgement for v in judge.verdicts(given)} == {"correct"}


def test_a_root_is_taken_as_printed_only_where_it_is_printed() -> None:
    """40 / 1.414 = 28.289 for √2, of which the sheet prints 1.414, and not of a number."""
    text = "Q: [[40, 0]]\nK: [[1, 0], [0, 1]]\n"
    trace = trace_of(text)
    key = taken(trace, request_for(trace, steps=["scale"]), "A").keys()["scaled[1, 1]"]
    assert (str(key.accepted.low), str(key.accepted.high)) == ("28.2825", "28.2895")
    trace = trace_of(f"{text}scale: 1.4142135624\n")
    key = taken(trace, request_for(trace, steps=["scale"]), "A").keys()["scaled[1, 1]"]
    assert (str(key.accepted.low), str(key.accepted.high)) == ("28.2825", "28.2855")


def test_a_key_that_knows_nobodys_numbers_refuses_hardly_anybody() -> None:
    """Nobody who carries or keeps in full; and of those who do now this, now that, one number in a
    hundred, which `attn grade` takes."""
    refused = tried = 0
    for name in (
        "i_love_ai",
        "three_tokens_two_heads",
        *(["pasta_lookup", "yassine_gru", "encoder_block"] if THOROUGH else []),
    ):
        trace = trace_of(SHIPPED[name])
        page = taken(trace, request_for(trace), "A")
        keys = {p.cell: key.accepted for p in page.places for key in [page.keys()[p.id]] if p.cell}
        places = {quantity: page.judge.key.decimals(quantity) for quantity in trace}
        for way in ("carried", "in full", "mixed by use"):
            given = honest_papers.answers(trace, places, way, keys.keys())
            off = [
                at
                for at, x in given.items()
                if x.number and not keys[at].low <= x.number <= keys[at].high
            ]
            assert way == "mixed by use" or not off
            refused, tried = refused + len(off), tried + len(given) * (way == "mixed by use")
    assert tried > 100
    assert refused <= tried / 100


def test_stress_tells_keys_that_accept_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as those of one policy alone, or of another scenario."""
    trace = trace_of(SHIPPED["three_tokens_two_heads"], "scale=sqrt_d_k")
    data = plain_data("three_tokens_two_heads", ["scale=sqrt_d_k"])
    wanted = request_for(trace)
    assert trial(data, None, trace, wanted, "A").disagreements == ()
    assert trial({**data, "scale": "1.41"}, None, trace, wanted, "A").disagreements
    monkeypatch.setattr(answer_keys, "_HALVES", 1)
    assert trial(data, None, trace, wanted, "A").disagreements


def test_keys_of_many_forms_are_derived_again() -> None:
    text = render(
        report(Word("Stress"), stress("i_love_ai", (), 20, seed=5)), "terminal", RenderOptions(80)
    )
    assert "Keys derived again by the oracle │ 1,440" in text
    assert re.search(r"Disagreements +│ none", text)


def test_what_the_oracle_lacks_is_an_error_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "expected.yaml"
    file.write_text(
        "sentence: abab ab\n"
        "tokenizer: {kind: unigram, training: expected}\n"
        "corpus: abab ab aab abb\n"
        "vocabulary_size: 6\n"
        "d_model: 2\n"
        "embeddings: {random: normal, seed: 1}\n"
        "W_Q: [[1, 0], [0, 1]]\n"
        "W_K: [[1, 0], [0, 1]]\n"
        "W_V: [[1, 0], [0, 1]]\n"
    )
    with pytest.raises(UnknownError, match="training: expected"):
        stress(str(file), ["softmax"], 2, allow=("sums", "zeros", "edges", "ties"))


def test_answers_that_tell_little_are_told() -> None:
    """Of 1000 × weights, rounded to three decimals, each rounding moves whole units."""
    text = "scores: [[1, 2]]\nscale: none\nV: [[1000], [0]]\n"
    trace = trace_of(text)
    entry = papers(trace, request_for(trace))
    key = next(q.key for q in questions(entry.whole) if q.id == "output[1, 1]")
    assert key is not None
    assert key.is_wide
    page = render(entry.key, "terminal", RenderOptions(80))
    assert "by more than five units of the last place: output[1, 1]" in " ".join(page.split())
    found = render(weaknesses(trace), "terminal", RenderOptions(200))
    assert "rounding.decimals=5 with rounding.quantities={output: 3}" in " ".join(found.split())
    better = trace_of(text, "rounding.decimals=5", "rounding.quantities={output: 3}")
    assert "tells little" not in render(weaknesses(better), "terminal", RenderOptions(200))


@pytest.mark.parametrize("seed", [7, 8])
def test_what_would_tell_more_does(seed: int) -> None:
    """The decimals that lint names for a quantity leave none of its answers wide, whatever numbers
    lead there; √2 is then told more finely, too."""
    sizes = Sizes(4, 4, 2)
    words, scenario = sketch(sizes, seed)
    text = text_of(sizes, words, scenario, "it").partition("rounding:")[0]
    found = " ".join(render(weaknesses(trace_of(text)), "terminal", RenderOptions(80)).split())
    remedies = set(_REMEDY.findall(found))
    assert {name for _, name, _ in remedies} >= {"attention", "hidden", "ffn"}
    for few, name, own in sorted(remedies)[::5]:
        changes = (f"rounding.decimals={few}", f"rounding.quantities={{{name}: {own}}}")
        better = weaknesses(trace_of(text, *changes))
        assert f"{{{name}: " not in " ".join(render(better, "terminal", RenderOptions(80)).split())


def test_a_mistake_that_rounding_hides_is_told_with_what_would_help() -> None:
    """With two decimals 0.02 may be 0.03, so that dividing by d_k goes unseen there."""
    for changes, hidden in (((), True), (("rounding.decimals=3",), False)):
        other = trace_of(SHIPPED["king_and_queen"], *changes)
        text = render(weaknesses(other), "json", RenderOptions(80))
        assert ("which is 0.03; rounding.decimals=3 would tell them apart" in text) is hidden
