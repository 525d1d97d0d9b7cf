"""What is said once the numbers are there: the likeliest token, who attends to whom, how a
scenario's variants compare, which tokens were generated."""

from __future__ import annotations

from attncli.document import Block, Note, Subheading, Table, Term, TextList
from attncli.telling.block_finding import moved
from attncli.telling.findings import findings_of, last_finding
from attncli.telling.parts import told_parts
from attncli.telling.selection import Selection
from attncli.telling.tokenizers import ending_with
from attncli.trace import BackwardPlace, PlannedStep, Trace
from attncli.word import Word, words


def ending_of(trace: Trace, part: PlannedStep, selection: Selection) -> list[Block]:
    """What a part's numbers come to, in words."""
    tell = ending_with(part)
    return [
        *([] if tell is None else tell(trace, part)),
        *map(Note, findings_of(trace, part, selection)),
        *(_likeliest(trace) if part.step == "predict" else ()),
    ]


def _likeliest(trace: Trace) -> list[Block]:
    """The likeliest next tokens as data."""
    probabilities = trace.next_token
    if probabilities is None:
        return []
    tokens = tuple(probabilities.columns.names[j] for j in probabilities.values.argmax(axis=1))
    return [TextList("predicted", words(probabilities.rows.names), words(tokens))]


def closing_notes(trace: Trace, selection: Selection) -> list[Block]:
    """What closes the page."""
    return [
        *_found(trace, selection),
        *_asked_for(trace, selection),
        *_generated(trace),
        *_trained(trace, selection),
        *_varied(trace, selection),
    ]


def _found(trace: Trace, selection: Selection) -> list[Block]:
    """What the page found: of a block what it does to the tokens, or else its last finding, unless
    one of its last two sections, or a summary, has just said so; states that are set side by side
    behind it say nothing new, and a page that ends with the way back is about that."""
    if whole := moved(trace, selection):
        return [Note(whole)]
    parts = told_parts(trace)
    back = bool(parts) and isinstance(parts[-1].place, BackwardPlace)
    if back or (selection.detail == "summary" and parts):
        return []
    part, said = last_finding(trace, selection)
    told = [one for one in parts if one is part or one.step != "states"]
    return [Note(said)] if said and not any(part is one for one in told[-2:]) else []


def _asked_for(trace: Trace, selection: Selection) -> list[Block]:
    """Graphs, and tokens before and after, where the scenario asks for these."""
    show = trace.scenario.show
    if not (show.before_after or show.graph or show.arrows):
        return []
    from attncli.telling.graphs import before_and_after, closing_graphs
    from attncli.telling.variants import result_of

    told = before_and_after(trace, result_of(trace), selection)
    return [*told, *closing_graphs(trace, selection)]


def _varied(trace: Trace, selection: Selection) -> list[Block]:
    if not trace.variants:
        return []
    from attncli.telling.variants import variants_of

    return variants_of(trace, selection)


def _trained(trace: Trace, selection: Selection) -> list[Block]:
    if trace.scenario.training is None:
        return []
    from attncli.telling.training_tables import training_table

    return training_table(trace, selection)


def _generated(trace: Trace) -> list[Block]:
    """The greedy choice of each step of generation."""
    if not trace.scenario.prediction.generate or trace.next_token is None:
        return []
    rows: list[tuple[Word | str, ...]] = []
    for k, step in enumerate((trace, *trace.generated)):
        probabilities = step.next_token
        assert probabilities is not None
        j = int(probabilities.values[-1].argmax())
        number = probabilities.matrix.number(probabilities.matrix.shape[0] - 1, j)
        text = " ".join(step.scenario.text.tokens)
        rows.append(
            (str(k + 1), Word(text), Word(probabilities.columns.names[j]), str(number.shown))
        )
    end = trace.scenario.prediction.end_token
    ended = () if not end or rows[-1][2] != Word(end) else (
        " It ends with ", Word(end), ", after which no other one is made.",
    )  # fmt: skip
    headings = ("Step", "Tokens so far", "Next token", "Probability")
    said: Block = Note(
        (
            "Each step works the whole model again on the tokens so far and takes the likeliest"
            " next one. To see the working of a step, run its tokens as the scenario's ",
            Term("tokens"), ".", *ended,
        )
    )  # fmt: skip
    return [Subheading(("Generation",)), said, Table(headings, tuple(rows))]
