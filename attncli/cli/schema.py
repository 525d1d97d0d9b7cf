"""`attn schema`: the JSON Schema of scenario files."""

from __future__ import annotations

from attncli.writing import write_out


def command() -> None:
    """Print the JSON Schema of scenario files, for editors.

    Example:

      attn schema > attn.schema.json
    """
    import json

    from attncli.steps.schema import json_schema

    write_out(json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n")
