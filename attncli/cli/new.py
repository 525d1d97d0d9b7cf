"""`attn new`: a scenario to start from, of one's own or of a checkpoint."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from attncli.cli import options
from attncli.cli.complaints import complaining
from attncli.cli.output import send_scenario
from attncli.refusals import Refusal

_TOKENS = "0,1,2"


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write.")],
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FOLDER",
            help="The scenario of a checkpoint: of a folder with `config.json` and"
            " `model.safetensors` (or several, with their index).",
        ),
    ] = None,
    tokens: Annotated[
        str,
        typer.Option(
            "--tokens", metavar="IDS", help="With `--from`: the IDs of its tokens, `5,17,2`."
        ),
    ] = _TOKENS,
    encoder_tokens: Annotated[
        str | None,
        typer.Option(
            "--encoder-tokens",
            metavar="IDS",
            help="With `--from` a model that has an encoder: the IDs of what that reads.",
        ),
    ] = None,
    force: options.Force = False,
) -> None:
    """Write a scenario to start from, or that of a checkpoint.

    Examples:

      attn new mine.yaml && attn run mine.yaml

      attn new model.yaml --from checkpoint/ --tokens 5,17,2

      attn new model.yaml --from bart/ --encoder-tokens 5,17,2 --tokens 2,0
    """
    with complaining():
        send_scenario(_text(file, from_, tokens, encoder_tokens), file, force=force)


def _text(file: str, source: str | None, tokens: str, encoder_tokens: str | None) -> str:
    if source is None:
        from attncli.scenario import starter

        return starter.text()
    from attncli.building import checkpoints
    from attncli.file.emitting import emitted

    read = None if encoder_tokens is None else _ids("--encoder-tokens", encoder_tokens)
    checkpoint = checkpoints.Checkpoint.of(source)
    place = Path() if file == "-" else Path(file).parent
    return emitted(checkpoints.scenario_of(checkpoint, place, _ids("--tokens", tokens), read))


def _ids(option: str, tokens: str) -> list[str]:
    ids = re.findall(r"[^\s,]+", tokens)
    if not ids or not all(one.isascii() and one.isdigit() for one in ids):
        raise Refusal.of(f"{option} {tokens}", "these are no IDs", "give some, like 5,17,2")
    return ids
