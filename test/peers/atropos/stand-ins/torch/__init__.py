"""Stand-in for torch: enough for the data half of atroposlib's example trainer to run on numpy.

`example_trainer.data` ends each batch with `torch.tensor(array).view(...)`; before that it is numpy alone. A tensor here
is its array, so a check can read dtype, shape and values. Nothing that would train a model exists.
"""

import numpy

from . import nn, optim

bfloat16 = "bfloat16"
float32 = numpy.float32


class Tensor:
    def __init__(self, array):
        self.array = numpy.asarray(array)

    @property
    def shape(self):
        return self.array.shape

    @property
    def dtype(self):
        return self.array.dtype

    def view(self, *shape):
        return Tensor(self.array.reshape(shape))

    def numpy(self):
        return self.array


def tensor(data, **_ignored):
    return Tensor(data)


class cuda:
    @staticmethod
    def is_available():
        return False


__all__ = ["Tensor", "bfloat16", "cuda", "float32", "nn", "optim", "tensor"]
