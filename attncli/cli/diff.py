"""`attn diff`: where an implementation first departs, and which bug that looks like."""

# no lazy annotations here: Typer reads them
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from attncli.cli import options
from attncli.cli.arguments import ForThisRun, PageOptions, Told, taking
from attncli.cli.complaints import Complaints
from attncli.refusals import Refusal

if TYPE_CHECKING:
    from attncli.marking.dumps.departures import Close, Comparison
    from attncli.trace import Trace

DEPARTS, CANT_TELL = 1, 3
_TYPES = ("float64", "float32", "float16", "bfloat16")


class DiffArguments(NamedTuple):
    """What was typed."""

    scenario: options.ScenarioArgument
    dump: Annotated[
        str,
        typer.Argument(
            metavar="DUMP", help="The tensors: a .npz, .safetensors or .json file of named arrays."
        ),
    ]
    map_: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="THEIRS=OURS",
            help="Which quantity a tensor is: `attn.q=Q`, `'attn.qk=heads[*].scores'`, `attn.q=` "
            "to leave it out; or a YAML file of such pairs. May be repeated.",
        ),
    ] = None
    precision: Annotated[
        str | None,
        options.choice(
            "--precision",
            lambda: _TYPES,
            "The floats that all was worked in; by default as the dump's numbers are.",
        ),
    ] = None
    rtol: Annotated[
        str | None,
        typer.Option(
            "--rtol",
            metavar="R",
            help="Only ask whether each number is near the scenario's own, as numpy.allclose does: "
            "within atol + R × its size; by default 1e-5, where --atol is given.",
        ),
    ] = None
    atol: Annotated[
        str | None,
        typer.Option(
            "--atol",
            metavar="A",
            help="The same, the part that doesn't grow with the number; by default 1e-8, where "
            "--rtol is given.",
        ),
    ] = None
    changed: ForThisRun = ForThisRun()
    page: PageOptions = PageOptions()

    def work(self) -> "Trace":
        """The scenario, worked in full precision. Raises ScenarioError."""
        from attncli.pipeline import work

        changes = self.changed._replace(rounding="exact").changes()
        return work(self.page.allowed.load(self.scenario, changes))


@taking(DiffArguments, without=("decimals", "rounding", "fragment"))
def command(typed: DiffArguments) -> Told:
    """Tell where an implementation departs, and by which bug.

    Each tensor of a dump is compared with what follows from the implementation's own earlier
    ones, as far as its floats can tell; names of PyTorch modules and hooks are known. Exit
    status 0 when all follow, 1 when one departs or has a wrong shape, 3 when none does and of
    some nothing can be told.

    Examples:

      attn diff encoder_block dump.npz

      attn diff encoder_block dump.safetensors --map block.attn.q=Q --format json
    """
    from attncli.file.array_files import read_dump

    complaints = Complaints()
    complaints.hear(typed.page.check)
    complaints.hear(_check_precision, typed.precision)
    close = complaints.hear(_close, typed.rtol, typed.atol)
    mapped = complaints.hear(_mapped, typed.map_ or ())
    tensors = complaints.hear(read_dump, typed.dump)
    trace = complaints.hear(typed.work)
    complaints.stop_if_any()
    assert tensors is not None
    assert trace is not None
    from attncli.marking.dumps.departures import Comparison
    from attncli.marking.dumps.taking_apart import taken_apart
    from attncli.telling.departures import report

    taken = taken_apart(tensors, trace, mapped or {}, typed.dump, typed.precision)
    comparison = Comparison(trace, taken, close)
    return Told(report(comparison, typed.dump), typed.page, _status(comparison))


def _status(comparison: "Comparison") -> int:
    if comparison.first is not None or comparison.misshapen:
        return DEPARTS
    return 0 if comparison.lost is None else CANT_TELL


def _close(rtol: str | None, atol: str | None) -> "Close | None":
    """What is let pass, where that is said. Raises Refusal."""
    from attncli.marking.dumps.departures import Close

    said = {"rtol": rtol, "atol": atol}
    known = {name: _tolerance(name, text) for name, text in said.items() if text is not None}
    return Close(**known) if known else None


def _tolerance(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise Refusal.of(f"--{name} {text}", "no tolerance", "give 0 or more, as 1e-5")
    return value


def _check_precision(said: str | None) -> None:
    from attncli.file.problems import nearest

    if said is not None and said not in _TYPES:
        wrong = "no such type of floats"
        raise Refusal.of(f"--precision {said}", wrong, nearest(said, _TYPES))


def _mapped(said: Sequence[str]) -> Mapping[str, str]:
    """What `--map` says: pairs, and files of pairs. Raises Refusal."""
    pairs: dict[str, str] = {}
    for one in said:
        theirs, equals, ours = one.partition("=")
        if equals:
            pairs[theirs] = ours
        else:
            pairs |= _pairs_of(one)
    return pairs


def _pairs_of(path: str) -> Mapping[str, str]:
    from attncli.file.nodes import Scalar
    from attncli.file.problems import Problems, knows_nothing
    from attncli.file.reading import read_file

    if not Path(path).suffix:
        right = "write THEIRS=OURS, or name a .yaml file"
        raise Refusal.of(f"--map {path}", "it says of no tensor what it is", right)
    problems = Problems()
    read = read_file(Path(path), problems, knows_nothing)
    for key, value in read.entries:
        if not isinstance(value, Scalar):
            problems.add(value.where, f"what {key.text} is", "write a name, like attn.q: Q")
    problems.stop_if_any()
    return {key.text: value.text for key, value in read.entries if isinstance(value, Scalar)}
