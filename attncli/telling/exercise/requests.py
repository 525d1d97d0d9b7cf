"""From an exercise as it is ordered to what it asks of a worked scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import groupby

from attncli.file.address import Address, AddressError
from attncli.marking.paths import Tolerance
from attncli.name import Name
from attncli.questions import points_text
from attncli.refusals import Problem, Where
from attncli.scenario.exercise import Ask, ExerciseFile
from attncli.telling.cells import find_cells
from attncli.telling.exercise.inquiries import WordsWanted
from attncli.telling.exercise.request import ExerciseRequest, PartAsked
from attncli.telling.selection import SelectionError, select
from attncli.telling.told_checks import check_told
from attncli.trace import Trace


def request_of(trace: Trace, ordered: ExerciseFile) -> ExerciseRequest:
    """What an exercise asks of a scenario. Raises SelectionError, naming all that is wrong: of a
    file, each where it stands."""
    wrong: list[Problem] = []
    asks: list[PartAsked] = []
    words: list[WordsWanted] = []
    for group in _alike(ordered.ask):
        try:
            if group[0].question is None:
                asks.append(_asked(trace, ordered, group))
            else:
                words += (wanted_in_words(trace, ask) for ask in group)
        except SelectionError as error:
            wrong += (_placed(problem, group[0]) for problem in error.problems)
    if wrong:
        raise SelectionError(wrong)
    share, tolerance = ordered.mistakes, tolerance_of(ordered.tolerance)
    found = ExerciseRequest(tuple(asks), ordered.points, str(ordered.seed), share, tolerance)
    found = found._replace(words=tuple(words))
    check_words(trace, ordered.ask, found)
    if ordered.layout is not None:
        found = found._replace(layout=ordered.layout)
    _check_points(trace, ordered, found)
    return found


def tolerance_of(told: Mapping[str, Decimal]) -> Tolerance:
    """What is let pass, as a file says it."""
    said = dict(told)
    digits = said.pop("digits", None)
    return Tolerance(**said, digits=None if digits is None else int(digits))


def _check_points(trace: Trace, ordered: ExerciseFile, found: ExerciseRequest) -> None:
    """Raises SelectionError for points of what isn't asked about."""
    said = {**ordered.points.steps, **ordered.points.quantities}
    wrong = []
    for name, right in found.unused_points(trace):
        option = Where(f"--points {name}={points_text(said[name])}")
        where = ordered.places.get(f"points.{name}", option)
        wrong.append(Problem(where, f"nothing is asked of {name}", right))
    if wrong:
        raise SelectionError(sorted(wrong))


def check_words(trace: Trace, asks: Sequence[Ask], found: ExerciseRequest) -> None:
    """Raises SelectionError for a question that the sheet tells the answer of, or hasn't."""
    asked = {one.question.id for one in found.in_words(trace)}
    wrong = []
    for ask, want in zip([one for one in asks if one.question], found.words, strict=True):
        if asked.isdisjoint(one.id for one in want.questions(trace)):
            says = "the sheet would tell the answer, or hasn't what it takes"
            right = "ask it of the last round on a sheet, and of rows that this shows"
            wrong.append(_placed(Problem.of(f"--ask {want.text}", says, right), ask))
    if wrong:
        raise SelectionError(wrong)


def _alike(asks: Sequence[Ask]) -> Iterator[list[Ask]]:
    """What is asked for in the same way, together: steps one after the other, or cells; of a file
    one by one, so that what is wrong is told where it stands."""

    def way(ask: Ask) -> tuple[object, ...]:
        return ask._replace(step=None, cell=None), ask.cell is None, ask.question

    return (list(group) for _, group in groupby(asks, way))


def _asked(trace: Trace, ordered: ExerciseFile, group: Sequence[Ask]) -> PartAsked:
    first = group[0]
    blanking = first.blank or ordered.blank
    detail = ordered.detail or ("full" if blanking.terms else "summary")
    cells = _cells(trace, group)
    steps = [ask.step for ask in group if ask.step is not None]
    part = {"layer": first.layer, "head": first.head}
    selection = select(trace, steps, first.token, detail, **part)
    check_told(trace, selection)
    return PartAsked(selection, tuple(cells), blanking, first.points)


def wanted_in_words(trace: Trace, ask: Ask) -> WordsWanted:
    """A question that is answered in words. Raises SelectionError where nothing has it."""
    assert ask.question is not None
    selection = select(trace, (), ask.token, layer=ask.layer, head=ask.head)
    wanted = WordsWanted(ask.question, selection, ask.written, ask.points)
    option = f"--ask {ask.question}"
    try:
        if wanted.questions(trace):
            return wanted
    except AddressError as error:
        raise SelectionError.of(option, error.wrong, error.right) from None
    raise SelectionError.of(option, "nothing that is asked about has it", "ask about more of it")


def _cells(trace: Trace, group: Sequence[Ask]) -> list[tuple[Name, Address]]:
    """The cells that are asked for, each once."""
    first = group[0]
    steps = [ask.step for ask in group if ask.step is not None]
    beside = {"step": steps, "token": first.token, "layer": first.layer, "head": first.head}
    others = [(f"--{name}", value) for name, value in beside.items()]
    texts = [ask.cell for ask in group if ask.cell is not None]
    found: dict[tuple[Name, int, int], Address] = {}
    wrong: list[Problem] = []
    for name, address in find_cells(trace, texts, others if texts else ()):
        if name not in trace:
            wrong.append(Problem.of(f"--cell {name}", "holds no numbers", "ask for another cell"))
        else:
            found.setdefault((name, *trace[name].find(address)), address)
    if wrong:
        raise SelectionError(wrong)
    return [(name, address) for (name, *_), address in found.items()]


def _placed(problem: Problem, ask: Ask) -> Problem:
    """What is wrong with something that a file asks for, at its place there."""
    if ask.where is None:
        return problem
    said = problem.where.source.removeprefix("--")
    return Problem(ask.where, f"{said}: {problem.wrong}", problem.right)
