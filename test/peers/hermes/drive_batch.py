"""Runs the real batch runner of hermes-agent in one process tree. Reads one job (JSON) from standard input.

Nothing of Hermes is replaced but the handlers of two tools, which answer what the scripted model asks for. They are no tools of
the web: what those give is put between words of Hermes' own.
"""

import json
import os
import sys

job = json.load(sys.stdin)
os.environ["HERMES_HOME"] = job["home"]
os.makedirs(job["home"], exist_ok=True)
os.chdir(job["cwd"])

from one_certificate import use_one_certificate

use_one_certificate(job["home"])

from batch_runner import BatchRunner
from tools.registry import registry

# Workers are forked, so they have what is registered here.
for name, toolset in (("process", "terminal"), ("search_files", "file")):
    schema = {
        "name": name,
        "description": "Gives back the text it is given.",
        "parameters": {"type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"]},
    }
    registry.register(
        name=name, toolset=toolset, schema=schema, override=True, handler=lambda args, **_: args.get("result", "")
    )

BatchRunner(
    dataset_file=job["dataset_file"],
    batch_size=job["batch_size"],
    run_name=job["run_name"],
    distribution="terminal_only",
    max_iterations=job["max_turns"],
    base_url=job["base_url"],
    api_key="no-key",
    model="scripted",
    num_workers=job["num_workers"],
).run(resume=job["resume"])
sys.stdout.flush()
# Threads of Hermes that wait for nothing we need would hold the process.
os._exit(0)
