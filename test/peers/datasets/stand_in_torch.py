"""Lets modules that import torch and what stands on it be loaded where none of it is installed.

Axolotl's config and prompt strategies are such modules: they import it and do not compute with it. A call of anything in the
stand-in fails, so that nothing is shown that only seemed to run; only `torch.cuda.is_available` is answered. A schema that asks
its machine what it can do while it is imported gets the answers of one without a GPU (`answers_no`).
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
        return type(self)(f"{self._name}.{name}")

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self._name} is a stand-in and was called")

    def __mro_entries__(self, bases):
        return ()

    def __or__(self, other):
        return self

    __ror__ = __or__


class No(Nothing):
    """What a machine without a GPU answers: false, empty, and nothing to do."""

    def __call__(self, *args, **kwargs):
        return No(self._name)

    def __bool__(self):
        return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


class StandIn(types.ModuleType):
    __path__ = []
    answers_no = False

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if not self.answers_no:
            return Nothing(f"{self.__name__}.{name}")
        # A schema wants classes in its types.
        value = type(name, (), {}) if name[:1].isupper() else No(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, roots, answers_no):
        self.roots, self.answers_no = roots, answers_no

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] not in self.roots:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = StandIn(spec.name)
        module.answers_no = self.answers_no
        return module

    def exec_module(self, module):
        pass


def install(roots=ROOTS, answers_no=False):
    if "transformers" not in roots:
        # transformers looks for torch once; it has to find that there is none.
        import transformers  # noqa: F401
        from transformers import AutoTokenizer  # noqa: F401

    sys.meta_path.append(Finder(roots, answers_no))
    if answers_no:
        return

    # The one question that may be asked of it, and its answer here: a file is checked on machines without a GPU too.
    import torch

    torch.cuda = StandIn("torch.cuda")
    torch.cuda.is_available = lambda: False
