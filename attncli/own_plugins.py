"""The entry points of this package, the same as in the project file, which a test holds."""

from collections.abc import Mapping

OWN: Mapping[str, Mapping[str, str]] = {
    "attncli.commands": {
        "run": "attncli.commands.pages:run",
        "serve": "attncli.web.commands:serve",
        "explain": "attncli.commands.pages:explain",
        "why": "attncli.commands.pages:why",
        "compare": "attncli.commands.pages:compare",
        "exercise": "attncli.classroom.commands:exercise",
        "exam": "attncli.classroom.commands:exam",
        "practice": "attncli.classroom.commands:practice",
        "list": "attncli.commands.files:list_",
        "check": "attncli.commands.pages:check",
        "grade": "attncli.classroom.commands:grade",
        "lint": "attncli.classroom.commands:lint",
        "diff": "attncli.models.commands:diff",
        "design": "attncli.classroom.commands:design",
        "site": "attncli.web.commands:site",
        "validate": "attncli.commands.files:validate",
        "new": "attncli.commands.files:new",
        "schema": "attncli.commands.files:schema",
        "help": "attncli.commands.files:help_",
    },
    "attncli.families": {
        "transformers": "attncli.models.checkpoints.families",
    },
    "attncli.models": {
        "transformers": "attncli.models.reading",
    },
    "attncli.files": {
        "exercise": "attncli.classroom.starters:exercise",
        "exam": "attncli.classroom.starters:exam",
    },
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
