"""Names the example trainer mentions in annotations."""

from . import functional


class Module:
    pass


class Parameter:
    pass


__all__ = ["Module", "Parameter", "functional"]
