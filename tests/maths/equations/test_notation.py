"""Whatever is written down means what it is: signs and parentheses, read again by the auditor."""

from __future__ import annotations

import copy
import pickle
from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli.maths.equations import tree as ex
from attncli.maths.equations.tree import Node
from attncli.maths.notation import plain
from attncli.maths.notation.latex import latex
from attncli.names import Word
from tests.auditor.calculator import value
from tests.helpers.truth import half_away, truth

NUMBERS = st.integers(-99, 99).map(lambda tenths: ex.Number.written(Decimal(tenths).scaleb(-1)))


def _of_parts(parts: st.SearchStrategy[ex.Expression]) -> st.SearchStrategy[ex.Expression]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    divisors = NUMBERS.filter(lambda number: bool(number.shown))
    return st.one_of(
        parts.map(ex.Negative),
        several.map(ex.Sum),
        several.map(ex.Product),
        st.tuples(parts, divisors).map(lambda pair: ex.Quotient(*pair)),
        parts.map(lambda part: ex.Power(part, ex.constant(2))),
    )


EXPRESSIONS = st.recursive(NUMBERS, _of_parts, max_leaves=6)


def no_names(name: str) -> Decimal:
    raise AssertionError(name)


def test_nodes_are_what_their_class_and_their_parts_are() -> None:
    number, two = map(ex.Number.written, (1, 2))
    assert (
        ex.Sum((number, two))
        == ex.Sum(terms=(number, two))
        == ex.Sum((number,)).of([(number, two)])
    )
    assert ex.Sum((number, two)) not in {
        ex.Product((number, two)),
        ex.Vector((number, two)),
        ex.Sum((number,)),
    }
    assert ex.Blank("a") == ex.Blank("a", None)
    assert ex.Power(number, two).parts == (number, two)
    with pytest.raises(TypeError):
        ex.Power(number)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        number.full = Decimal(3)  # type: ignore[misc]


@given(EXPRESSIONS)
def test_copies_of_nodes_are_equal(expression: ex.Expression) -> None:
    for again in (copy.deepcopy(expression), pickle.loads(pickle.dumps(expression))):
        assert again == expression
        assert type(again) is type(expression)


@given(EXPRESSIONS)
def test_plain_text_means_what_it_is(expression: ex.Expression) -> None:
    text = plain(expression)
    assert "−−" not in text
    assert "--" not in latex(expression)
    read = value(text.replace("\u00a0", " "), no_names)
    assert half_away(truth(expression), 12) == half_away(Fraction(read), 12)


A, B = ex.constant(1), ex.constant(2)
OF_EACH_KIND: tuple[ex.Expression, ...] = (
    A, ex.Blank("a"), ex.Symbol("a"), ex.Operand(0), ex.Length(0, 1), ex.Omitted(),
    ex.Shapes(((1, 2),)),
    ex.Sum((A, B)), ex.Product((A, B)), ex.MatrixProduct((A, B)), ex.Vector((A, B)),
    ex.Dot(A, B), ex.Quotient(A, B), ex.Power(A, B),
    ex.Negative(A), ex.Root(A), ex.Transposed(A),
    ex.Apply("a", (A,)), ex.Total("a", A), ex.Reduced("max", "a", A), ex.Relation("<", A, B),
    Word("a"),
)  # fmt: skip


def test_expressions_of_different_kinds_are_never_equal() -> None:
    nodes = {*Node.__subclasses__(), *ex.Leaf.__subclasses__()} - {ex.Leaf}
    # notations and tests have leaves of their own
    kinds = {node for node in nodes if node.__module__.startswith("attncli.maths.equations")}
    assert {type(e) for e in OF_EACH_KIND} == kinds | {Word}
    assert len(set(OF_EACH_KIND)) == len(OF_EACH_KIND)
    assert len({hash(e) for e in OF_EACH_KIND}) == len(OF_EACH_KIND)
    pairs: list[tuple[ex.Expression, ex.Expression]] = [*permutations(OF_EACH_KIND, 2)]
    for expression, other in pairs:
        assert expression != other
        assert ex.Root(expression) != ex.Root(other)
    for expression, _ in pairs:
        assert expression == ex.rewritten(expression, lambda _: None)


def test_children_are_the_expressions_of_a_node_from_left_to_right() -> None:
    total = ex.Total("k", ex.Quotient(A, B), ex.Relation("=", B, A))
    assert ex.children(total) == [ex.Quotient(A, B), ex.Relation("=", B, A)]
    assert ex.children(ex.Apply("where", (B, total, A))) == [B, total, A]
    assert [*ex.each(ex.Root(total), ex.Number)] == [A, B, B, A]
    for leaf in (A, Word("a"), ex.Symbol("a", ("i",)), ex.Shapes(((1, 2),)), ex.Omitted(A)):
        assert ex.children(leaf) == []


def _all_subclasses(kind: type) -> set[type]:
    return {kind}.union(*map(_all_subclasses, kind.__subclasses__()))


def test_each_rule_of_a_fold_is_named_after_a_kind_of_node() -> None:
    from attncli.formats.html import asked  # noqa: F401
    from attncli.maths.equations import bounds, deciding, derivative, enclosures, integers  # noqa: F401
    from attncli.maths.notation import mathml, spreadsheet, typst  # noqa: F401

    kinds = {kind.__name__.lower() for kind in _all_subclasses(Node) | {Word, ex.Equation}}
    folds = [fold for fold in _all_subclasses(ex.Fold) if fold.__module__.startswith("attncli")]
    rules = {name for fold in folds for name in dir(fold) if name.startswith("of_")}
    assert {"of_sum", "of_matrix_product", "of_cell_range"} <= rules
    assert {rule for rule in rules if rule[3:].replace("_", "") not in kinds} == set()


class Depth(ex.Fold[int]):
    gives = "depth"

    def of_number(self, _: ex.Number) -> int:
        return 0

    def of_matrix_product(self, node: ex.MatrixProduct) -> int:
        return 1 + max(map(self.of, node.factors))


def test_a_fold_applies_the_rule_of_each_node_and_refuses_what_has_none() -> None:
    assert Depth().of(ex.MatrixProduct((A, ex.MatrixProduct((A, B)), B))) == 2
    with pytest.raises(TypeError, match=r"^Sum has no depth$"):
        Depth().of(ex.MatrixProduct((A, ex.Sum((A, B)))))


def test_shapes_of_a_product() -> None:
    shapes = ex.Equation(ex.Shapes(((3, 2), (2, 4))), ex.Shapes(((3, 4),)))
    assert plain(shapes).replace("\u00a0", " ") == "(3 × 2)(2 × 4) = (3 × 4)"
    assert latex(shapes) == r"(3 \times 2)(2 \times 4) = (3 \times 4)"
