"""`attn exercise`: worksheets, keys and hints."""

from __future__ import annotations

from attncli.cli.arguments import taking
from attncli.cli.command import command_line
from attncli.cli.exercising.arguments import ExerciseArguments


@taking(ExerciseArguments)
def command(order: ExerciseArguments) -> None:
    """Write an exercise: the student's sheet, the answer key, hints.

    Examples:

      attn exercise i_love_ai --step softmax

      attn exercise i_love_ai --step softmax --blank all --key none -o sheet.md

      attn exercise i_love_ai --forms 26 --seed 7 --format latex -o forms/

      attn exercise i_love_ai --step softmax --forms 30 --format moodle -o softmax.xml

      attn exercise i_love_ai --step softmax --forms 30 -o softmax.zip

      attn exercise exam.yaml --format latex -o exam/

      attn exercise exam.yaml -o exam/ --students list.csv

      attn exercise i_love_ai --step softmax --stress 1000
    """
    from attncli.cli.exercising.writing import fulfil

    fulfil(order, command_line(order.context, leave_out=("output", "force")))
