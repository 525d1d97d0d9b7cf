"""Workbooks that LibreOffice has worked again, for tests: what each cell comes to there."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import openpyxl
import pytest

from attncli.trace import Quantity, Trace

SOFFICE = shutil.which("soffice")
needs_libreoffice = pytest.mark.real("soffice")
_ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"
 xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode"
 oor:op="fuse"><value>0</value></prop></item></oor:items>"""
"""So that a file's formulas are worked, rather than its results believed."""
_HIDDEN = -1e100


def recalculated(folder: Path, files: Mapping[str, bytes]) -> Mapping[str, Any]:
    """Workbooks by name as LibreOffice leaves them, all in one start, which is slow."""
    made = _converted(folder, files, "xlsx")
    return {name: openpyxl.load_workbook(path, data_only=True) for name, path in made.items()}


def rendered(folder: Path, data: bytes) -> str:
    """What somebody sees of a workbook that LibreOffice has worked again and printed."""
    made = _converted(folder, {"printed": data}, "pdf")["printed"]
    return _output("pdftotext", "-layout", str(made), "-")


class PrintedPage(NamedTuple):
    """A page of what LibreOffice prints."""

    text: str
    """What stands on it."""
    width: float
    """How wide it is, in points."""
    height: float
    """How high it is, in points."""


def printed_pages(folder: Path, data: bytes) -> list[PrintedPage]:
    """The pages of a workbook as they are printed."""
    made = str(_converted(folder, {"printed": data}, "pdf")["printed"])
    texts = _output("pdftotext", "-layout", made, "-").split("\f")[:-1]
    sizes = re.findall(r"size: +([\d.]+) x ([\d.]+)", _output("pdfinfo", "-l", "-1", made))
    pairs = zip(texts, sizes, strict=True)
    return [PrintedPage(text, float(width), float(height)) for text, (width, height) in pairs]


def _output(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, encoding="utf-8").stdout


def _converted(folder: Path, files: Mapping[str, bytes], form: str) -> Mapping[str, Path]:
    assert SOFFICE is not None
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_ALWAYS, "utf-8")
    paths = [folder / f"{name}.xlsx" for name in files]
    for path, data in zip(paths, files.values(), strict=True):
        path.write_bytes(data)
    setting = f"-env:UserInstallation={profile.as_uri()}"
    words = ["--headless", "--convert-to", form, "--outdir", f"{folder}/out", *map(str, paths)]
    subprocess.run([SOFFICE, setting, *words], check=True, capture_output=True, timeout=300)
    return {name: folder / "out" / f"{name}.{form}" for name in files}


def range_of(workbook: Any, quantity: str) -> Sequence[Sequence[Any]]:
    """The cells of the range that is named after a quantity."""
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", quantity).strip("_")
    known = {name.lower(): value for name, value in workbook.defined_names.items()}
    named = known[plain.lower() if plain.lower() in known else f"_{plain.lower()}"]
    ((sheet, cells),) = named.destinations
    found = workbook[sheet][cells.replace("$", "")]
    return found if isinstance(found, tuple) else ((found,),)


def numbers_of(workbook: Any, quantity: str) -> Any:
    """What the cells of a quantity come to, [n, m]; a text that an error has is nan."""
    values = [[cell.value for cell in row] for row in range_of(workbook, quantity)]
    entries = [[v if isinstance(v, int | float) else math.nan for v in row] for row in values]
    array = np.array(entries, dtype=np.float64)
    return np.where(array < _HIDDEN, -math.inf, array)


def is_as_worked(workbook: Any, quantity: Quantity, group: str, *, rounded: bool) -> bool:
    """Whether a quantity has the same numbers in a workbook; rounded ones to the last digit."""
    found = numbers_of(workbook, f"{group}{quantity.name}")
    right = np.array(
        [[float(quantity.number(i, j).full) for j in range(found.shape[1])]
         for i in range(quantity.matrix.shape[0])]
    )  # fmt: skip
    close = 1e-12 if rounded else 1e-9
    return found.shape == right.shape and np.allclose(found, right, rtol=close, atol=1e-13)


def not_as_worked(workbook: Any, trace: Trace, group: str = "") -> list[str]:
    """The quantities of a trace, and of its variants and generated tokens, that come to other
    numbers in a workbook, but for tables of which it has only the rows that are used."""
    carries = trace.rounding.carries
    own = [
        f"{group}{quantity.name}"
        for quantity in trace.quantities.values()
        if quantity.name not in trace.untold
        and not (quantity.given and quantity.values.size > 10_000)
        and not is_as_worked(workbook, quantity, group, rounded=carries)
    ]
    tokens = {f"token {k}": entry for k, entry in enumerate(trace.generated, start=2)}
    further = {**trace.variants, **tokens}
    others = (not_as_worked(workbook, entry, f"{name}.") for name, entry in further.items())
    return [*own, *(wrong for each in others for wrong in each)]
