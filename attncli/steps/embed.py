"""Step 2: from IDs to vectors."""

from attncli.arithmetic.formula import at, define
from attncli.arithmetic.operations import TakeRows
from attncli.scenario import Scenario
from attncli.scenario.address import write_index
from attncli.steps.step import Mistake, Step
from attncli.trace.quantity import Making


def _plan(scenario: Scenario) -> tuple[Making, ...]:
    return (_look_up(scenario, scenario.rows_of_tokens),)


def _look_up(scenario: Scenario, rows: tuple[int, ...]) -> Making:
    names = (scenario.embedded[row] for row in rows)
    keys = tuple(names if scenario.by_id else map(write_index, names))
    return Making("X", TakeRows(rows, keys), ("embeddings",), "embed")


def _by_token(scenario: Scenario) -> bool:
    return scenario.embeddings is not None and not scenario.by_id


def _next_rows(scenario: Scenario) -> Making | None:
    table = scenario.embeddings
    if table is None:
        return None
    rows = tuple((row + 1) % table.shape[0] for row in scenario.rows_of_tokens)
    return _look_up(scenario, rows)


STEP = Step(
    name="embed",
    title="Embeddings",
    makes=("X",),
    formulas=lambda scenario: (
        define("X", at("embeddings", "tokens" if _by_token(scenario) else "ids")),
    ),
    shapes="n tokens, embeddings [vocabulary, d_model] → X [n, d_model]",
    happens=lambda _: "Each token picks its row of the embedding table.",
    purpose=(
        "An embedding says where a token stands in a space of d_model dimensions, in which"
        " words of like use come to lie near each other. The table is learned; looking up is"
        " only choosing rows, one for each token, in the order of the sentence."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "off_by_one",
            "Counting the rows of the table from the wrong number, so that each token gets the"
            " row of the one after it.",
            _next_rows,
        ),
    ),
)
