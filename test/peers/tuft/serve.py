"""TuFT's own application on its own CPU backend, on loopback, for one user.

    python serve.py PORT API_KEY

The packages of its GPU backends are imported by modules that this backend does not use, so empty ones stand in for them.
"""

import importlib.abc
import importlib.machinery
import os
import sys
from pathlib import Path
from types import ModuleType
from unittest.mock import MagicMock

# Read by TuFT when it makes a backend: numpy vectors instead of a model.
os.environ["TUFT_CPU_TEST"] = "1"

ABSENT = {"accelerate", "peft", "ray", "torch", "transformers", "vllm"}
MODEL = "Qwen/Qwen3-0.6B"
CONTEXT_LENGTH = 2048
# What TuFT looks at before it believes that a model folder holds a Qwen3.
CONFIG = '{"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "num_hidden_layers": 2, "tie_word_embeddings": true}\n'


class EmptyModule(ModuleType):
    """Any name can be imported from it; what it gives can be called, decorated with and put into annotations."""

    __path__: list[str] = []
    __version__ = "99.0.0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        # A class where a class is expected: bases and annotations refuse a mock.
        value = type(name, (), {"__init__": lambda self, *_, **__: None}) if name[:1].isupper() else MagicMock(name=name)
        setattr(self, name, value)
        return value


class EmptyModuleFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ABSENT:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return EmptyModule(spec.name)

    def exec_module(self, module):
        pass


def main(port, api_key):
    sys.meta_path.insert(0, EmptyModuleFinder())
    import uvicorn
    from tuft.config import AppConfig, ModelConfig
    from tuft.server import create_root_app

    model = Path("model").absolute()
    model.mkdir(exist_ok=True)
    (model / "config.json").write_text(CONFIG)
    config = AppConfig(
        checkpoint_dir=Path("checkpoints").absolute(),
        supported_models=[ModelConfig(model_name=MODEL, model_path=model, max_model_len=CONTEXT_LENGTH)],
        authorized_users={api_key: "peer"},
    )
    uvicorn.run(create_root_app(config), host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
