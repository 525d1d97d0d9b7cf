"""Norms: of layers (arXiv:1607.06450), by the root of the mean square (arXiv:1910.07467), and of
batches with what training found (arXiv:1502.03167)."""

from __future__ import annotations

from tests.models.torch_models.page import Page, Quantity, Tensor, Tree, is_true, numbers


def norm(page: Page, tree: Tree, x: Quantity, made: tuple[Page, str] | None = None) -> Quantity:
    """One whose γ and β are given in its own place. [n, d] -> [n, d]"""
    gains = {key: page.given(tree, key) for key in ("gamma", "beta") if key in tree}
    return normed(page, tree, x, gains, made=made)


def normed(
    page: Page,
    tree: Tree,
    x: Quantity,
    gains: dict[str, Quantity],
    prefix: str = "",
    made: tuple[Page, str] | None = None,
) -> Quantity:
    """`prefix` is what the names of its parts begin with; it may be `made` at another place."""
    whole, name = made or (page, "normed")
    centre, deviation = x, None
    if tree.get("kind") == "batch":
        mean, variance = numbers(tree["mean"]), numbers(tree["variance"])
        centre = page.make("centered", lambda x: x - mean, x)
        fixed = _root(tree, variance)
        deviation = page.make("deviation", lambda: fixed)
    elif tree.get("kind", "layer") == "rms":
        squares = page.make(f"{prefix}mean_square", lambda x: _mean_square(tree, x), x)
        deviation = page.make(f"{prefix}rms", lambda q: _root(tree, q), squares)
    else:
        mean = page.make(f"{prefix}mean", lambda x: x.mean(dim=1, keepdim=True), x)
        centre = page.make(f"{prefix}centered", lambda x, mean: x - mean, x, mean)
        squares = page.make(f"{prefix}variance", lambda x: _mean_square(tree, x), centre)
        deviation = page.make(f"{prefix}deviation", lambda q: _root(tree, q), squares)
    plus_one = is_true(tree.get("gamma_plus_one"))

    def formula(c: Tensor, s: Tensor, gamma: Tensor | None, beta: Tensor | None) -> Tensor:
        y = c / s
        y = y if gamma is None else y * (1 + gamma if plus_one else gamma)
        return y if beta is None else y + beta

    return whole.make(name, formula, centre, deviation, gains.get("gamma"), gains.get("beta"))


def _mean_square(tree: Tree, x: Tensor) -> Tensor:
    n = x.shape[1]
    return (x**2).sum(dim=1, keepdim=True) / (n - 1 if tree.get("over") == "n-1" else n)


def _root(tree: Tree, squares: Tensor) -> Tensor:
    epsilon = float(tree.get("epsilon", 1e-5))
    if tree.get("epsilon_in") == "deviation":
        return squares.sqrt() + epsilon
    return (squares + epsilon).sqrt()
