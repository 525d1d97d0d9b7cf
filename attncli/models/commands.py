"""The command of tensors: `attn diff`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from attncli.commands.arguments import (
    SCENARIO,
    ForThisRun,
    PageOptions,
    PageOutput,
    check_precision,
)
from attncli.commands.declaring import argument, choice, command, text
from attncli.efforts import Effort
from attncli.errors import Complaints, UserError
from attncli.option_values import PRECISIONS

if TYPE_CHECKING:
    from attncli.models.dumps.departures import Close
    from attncli.models.dumps.tensors import Ours
    from attncli.trace import Trace


class DiffArguments(NamedTuple):
    """A request to compare a scenario with what an implementation made of it."""

    scenario: Annotated[str, SCENARIO]
    dump: Annotated[
        str, argument("DUMP", "The tensors: a .npz, .safetensors or .json file of named arrays.")
    ]
    map_: Annotated[
        Sequence[str] | None,
        text(
            "--map",
            "THEIRS=OURS",
            "Which quantity a tensor is: `attn.q=Q`, `'attn.qk=heads[*].scores'`, `attn.q=` "
            "to leave it out; or a YAML file of such pairs. May be repeated.",
        ),
    ] = None
    precision: Annotated[
        str | None,
        choice(
            "--precision",
            lambda: PRECISIONS,
            "The floats that all was worked in; by default as the dump's numbers are. `tf32` is "
            "float32 whose matrix products round their factors to 11 bits.",
        ),
    ] = None
    rtol: Annotated[
        str | None,
        text(
            "--rtol",
            "R",
            "Only ask whether each number is near the scenario's own, as numpy.allclose does: "
            "within atol + R × its size; by default 1e-5, where --atol is given.",
        ),
    ] = None
    atol: Annotated[
        str | None,
        text(
            "--atol",
            "A",
            "The same, the part that doesn't grow with the number; by default 1e-8, where "
            "--rtol is given.",
        ),
    ] = None
    seek: Annotated[
        str | None,
        text(
            "--seek",
            "SECONDS",
            "For how long the bugs behind departures are sought, by default 10 seconds; 0 not at "
            "all.",
        ),
    ] = None
    changed: ForThisRun = ForThisRun()
    page: PageOptions = PageOptions()

    def work(self) -> Trace:
        """Works the scenario in full precision. Raises ScenarioError."""
        from attncli.pipeline import work

        changes = self.changed._replace(rounding="exact").changes()
        return work(self.page.allowed.load(self.scenario, changes))


@command(
    DiffArguments,
    without=("decimals", "rounding", "fragment"),
    effort=Effort(steps=1.5, numbers=8, memory=9),
)
def diff(typed: DiffArguments) -> PageOutput:
    """Tell where an implementation departs, and by which bug.

    Each tensor of a dump is compared with what follows from the implementation's own earlier
    ones, as far as its floats can tell; names of PyTorch modules and hooks are known. In Python
    attncli.torch.compare(module, x) compares a module itself, without a dump. Exit status 0
    when all follow, 1 when one departs or has a wrong shape, 3 when none does and of some
    nothing can be said.

    Examples:

      attn diff encoder_block dump.npz

      attn diff encoder_block dump.safetensors --map block.attn.q=Q --format json
    """
    from attncli.scenario.file.dump_files import read_dump

    complaints = Complaints()
    complaints.hear(typed.page.check)
    complaints.hear(check_precision, typed.precision)
    close = complaints.hear(_close, typed.rtol, typed.atol)
    seek = complaints.hear(_seek, typed.seek)
    mapped = complaints.hear(_mapped, typed.map_ or ())
    tensors = complaints.hear(read_dump, typed.dump, large=typed.page.allowed.large)
    trace = complaints.hear(typed.work)
    complaints.stop_if_any()
    assert tensors is not None
    assert trace is not None
    assert seek is not None
    from attncli.models.diff_page import report, status_of
    from attncli.models.dumps.guesses import compared
    from attncli.models.dumps.tensors import Dump, taken_apart

    sure = mapped or {}

    def taken_as(by_numbers: Mapping[str, Ours]) -> Dump:
        return taken_apart(tensors, trace, {**by_numbers, **sure}, typed.dump, typed.precision)

    comparison = compared(trace, tensors, taken_as, sure, close, seek)
    return PageOutput(report(comparison, typed.dump), typed.page, status_of(comparison))


def _close(rtol: str | None, atol: str | None) -> Close | None:
    """Reads the tolerance, or returns None where none is said. Raises UserError."""
    from attncli.models.dumps.departures import Close

    by_name = {"rtol": rtol, "atol": atol}
    known = {name: _tolerance(name, text) for name, text in by_name.items() if text is not None}
    return Close(**known) if known else None


def _seek(text: str | None) -> float:
    """Reads for how many seconds bugs are sought. Raises UserError."""
    from attncli.models.dumps.suspects import SEEK, check_seek

    try:
        seconds = SEEK if text is None else float(text)
    except ValueError:
        seconds = math.nan
    check_seek("--seek ", seconds)
    return seconds


def _tolerance(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise UserError.of(f"--{name} {text}", "no tolerance", "give 0 or more, as 1e-5")
    return value


def _mapped(texts: Sequence[str]) -> Mapping[str, Ours]:
    """Reads `--map`: pairs, and files of pairs, `K,V` of what stands side by side. Raises
    UserError."""
    pairs: dict[str, str] = {}
    for said in texts:
        theirs, equals, ours = said.partition("=")
        if equals:
            pairs[theirs] = ours
        else:
            pairs |= _pairs_of(said)
    return {name: said.split(",") if "," in said else said for name, said in pairs.items()}


def _pairs_of(path: str) -> Mapping[str, str]:
    from attncli.scenario.file.nodes import Scalar
    from attncli.scenario.file.problems import Diagnostics, knows_nothing
    from attncli.scenario.file.reading import read_file

    if not Path(path).suffix:
        right = "write THEIRS=OURS, or name a .yaml file"
        raise UserError.of(f"--map {path}", "it says of no tensor what it is", right)
    problems = Diagnostics()
    read = read_file(Path(path), problems, knows_nothing)
    for key, value in read.entries:
        if not isinstance(value, Scalar):
            problems.add(value.where, f"what {key.text} is", "write a name, like attn.q: Q")
    problems.stop_if_any()
    return {key.text: value.text for key, value in read.entries if isinstance(value, Scalar)}
