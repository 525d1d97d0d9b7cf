"""The entry points of this package, as `pyproject.toml` has them; a test holds that they are the
same, and writes them anew with `--rewrite-golden`."""

from collections.abc import Mapping

OWN: Mapping[str, Mapping[str, str]] = {
    "attncli.formats": {
        "terminal": "attncli.formats.pages.terminal",
        "html": "attncli.formats.pages.html",
        "json": "attncli.formats.pages.json",
        "latex": "attncli.formats.pages.latex",
        "markdown": "attncli.formats.pages.markdown",
    },
    "attncli.formats.binary": {
        "pdf": "attncli.formats.binary.pdf",
    },
    "attncli.formats.data": {
        "npz": "attncli.formats.binary.npz",
        "safetensors": "attncli.formats.binary.safetensors",
        "xlsx": "attncli.formats.binary.xlsx",
    },
    "attncli.formats.exercises": {
        "canvas": "attncli.classroom.formats.canvas",
        "csv": "attncli.classroom.formats.csv",
        "moodle": "attncli.classroom.formats.moodle",
        "qti": "attncli.classroom.formats.qti",
        "yaml": "attncli.classroom.formats.yaml",
    },
    "attncli.formats.pictures": {
        "svg": "attncli.formats.pictures.svg",
    },
}
