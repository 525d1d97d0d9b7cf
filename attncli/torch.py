"""A module that runs, beside what it should make.

    from attncli.torch import assert_follows, compare

    print(compare(model, ids))                     # a kind of module that is known
    compare(block, x, like="encoder_block.yaml")   # as a scenario says
    assert_follows(block, x, names={"my.q": "Q"})  # in a test

JAX's and MLX's arrays, and what else NumPy reads, come as a map: `compare({"q": q}, like=…)`.
"""

from attncli.models.live.comparing import LiveComparison, assert_follows, compare

__all__ = ["LiveComparison", "assert_follows", "compare"]
