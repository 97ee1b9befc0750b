"""Lets modules that import torch and accelerate, and do not call them, be loaded where neither is installed.

Axolotl's config and prompt strategies are such modules. A call of anything in the stand-in fails, so that nothing is shown
that only seemed to run.
"""

import importlib.abc
import importlib.machinery
import sys
import types

ROOTS = ("torch", "accelerate")


class Nothing:
    """A name that can be imported, named in an annotation and inherited from, and not called."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing(f"{self._name}.{name}")

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self._name} is a stand-in and was called")

    def __mro_entries__(self, bases):
        return ()

    def __or__(self, other):
        return self

    __ror__ = __or__


class StandIn(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing(f"{self.__name__}.{name}")


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] not in ROOTS:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return StandIn(spec.name)

    def exec_module(self, module):
        pass


def install():
    # transformers looks for torch once; it has to find that there is none.
    import transformers  # noqa: F401
    from transformers import AutoTokenizer  # noqa: F401

    sys.meta_path.append(Finder())
