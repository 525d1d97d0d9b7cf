"""What PyTorch makes of random numbers, beside the scenario that says the same.

Each family is a function of a seeded generator that gives a `Case`: the scenario as a mapping with
NumPy arrays, and PyTorch's arrays by the full names of the quantities that they are.

    attention  nn.MultiheadAttention, F.scaled_dot_product_attention
    layers     norms, encoder and decoder layers, stacks of them, nn.Transformer
    models     from token to loss; rotary positions, ALiBi, gated networks, next tokens
"""

from tests.models.torch_cases.attention import ATTENTION
from tests.models.torch_cases.case import Case, Family
from tests.models.torch_cases.layers import LAYERS
from tests.models.torch_cases.models import MODELS

FAMILIES: dict[str, Family] = {family.__name__: family for family in (*ATTENTION, *LAYERS, *MODELS)}

__all__ = ["FAMILIES", "Case", "Family"]
