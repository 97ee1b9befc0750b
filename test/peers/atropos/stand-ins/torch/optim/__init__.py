"""Names the example trainer imports; no peer here steps an optimiser."""


class Optimizer:
    pass


class AdamW(Optimizer):
    pass
