"""`attn new`: a scenario to start from, of one's own or of a checkpoint."""

from pathlib import Path
from typing import Annotated

import typer

from attncli.cli import options
from attncli.cli.arguments import Text, acting
from attncli.cli.output import is_written

_TOKENS = "0,1,2"
_From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FOLDER",
        help="The scenario of a checkpoint: of a folder with `config.json` and"
        " `model.safetensors` (or several, with their index).",
    ),
]
_Tokens = Annotated[
    str,
    typer.Option(
        "--tokens",
        metavar="IDS",
        help="With `--from`: the IDs of its tokens, `5,17,2`; or a text, where a"
        " `tokenizer.json` stands beside it.",
    ),
]
_EncoderTokens = Annotated[
    str | None,
    typer.Option(
        "--encoder-tokens",
        metavar="IDS",
        help="With `--from` a model that has an encoder: the IDs of what that reads, or a text.",
    ),
]
_EncoderStates = Annotated[
    str | None,
    typer.Option(
        "--encoder-states",
        metavar="FILE",
        help="With `--from` a model that has an encoder: what that made, [m, d_model], in a file,"
        " `.npy`, `.npz` or `.safetensors`; the encoder itself is left out.",
    ),
]
_Picture = Annotated[
    str | None,
    typer.Option(
        "--picture",
        metavar="FILE",
        help="With `--from` a model that sees: the file of a picture's pixels, `.npy` or"
        " `.npz`, [channels, height, width].",
    ),
]


@acting
def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write.")],
    from_: _From = None,
    tokens: _Tokens = _TOKENS,
    encoder_tokens: _EncoderTokens = None,
    encoder_states: _EncoderStates = None,
    picture: _Picture = None,
    force: options.Force = False,
) -> Text:
    """Write a scenario to start from, or that of a checkpoint.

    Examples:

      attn new mine.yaml && attn run mine.yaml

      attn new model.yaml --from checkpoint/ --tokens 5,17,2

      attn new model.yaml --from checkpoint/ --tokens "I love AI"

      attn new model.yaml --from bart/ --encoder-tokens 5,17,2 --tokens 2,0

      attn new model.yaml --from whisper/ --encoder-states heard.npy --tokens 2,0
    """
    given = (tokens, encoder_tokens, encoder_states, picture)
    text, large = (_starter(), False) if from_ is None else _of_checkpoint(file, from_, *given)
    return Text(text, file, force, is_written(file, large=large))


def _starter() -> str:
    from attncli.scenario import starter

    return starter.text()


def _of_checkpoint(
    file: str, source: str, tokens: str, encoder_tokens: str | None, *files: str | None
) -> tuple[str, bool]:
    """The scenario of a checkpoint, and whether it has more numbers than are read without being
    asked for; `files` are those of an encoder's states and of a picture."""
    from attncli.building import checkpoints
    from attncli.building.checkpoint import Checkpoint
    from attncli.building.checkpoints import Inputs, reading_of
    from attncli.file.emitting import emitted
    from attncli.scenario.budget import MOST_NUMBERS

    checkpoint = Checkpoint.of(source)
    place = Path() if file == "-" else Path(file).parent
    folder = checkpoint.file.parent
    read = reading_of("--tokens", tokens, folder, place)
    of_encoder = (
        None
        if encoder_tokens is None
        else reading_of("--encoder-tokens", encoder_tokens, folder, place)
    )
    inputs = Inputs(read, of_encoder, *files)
    text = emitted(checkpoints.scenario_of(checkpoint, place, inputs))
    return text, checkpoint.size > MOST_NUMBERS
