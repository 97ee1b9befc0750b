"""Stand-in for torch, which weighs gigabytes and which SkyRL's JAX backend names only in annotations.

A version below what transformers asks for makes transformers treat torch as not installed, which it is.
"""

__version__ = "0.0.0"


class Tensor:
    """For annotations; nothing here makes one."""
