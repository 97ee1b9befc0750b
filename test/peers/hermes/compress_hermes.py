"""Runs the real compressor of hermes-agent. Reads one job (JSON) from standard input, writes one answer a task as a line of JSON.

Nothing of it is replaced but the tokenizer where the job asks for an estimate: then it fails to encode, and Hermes counts characters.
"""

import json
import os
import resource
import sys
import time
import types
from pathlib import Path

out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
# Hermes prints to standard output; what it says there is no answer of ours.
sys.stdout = open(os.devnull, "w", encoding="utf-8")

job = json.load(sys.stdin)
os.environ["HERMES_HOME"] = job["home"]
os.environ["SCRIPTED_KEY"] = "no-key"
os.makedirs(job["home"], exist_ok=True)
os.chdir(job["home"])

if job.get("site_packages") is None:

    class NoTokenizer:
        @classmethod
        def from_pretrained(cls, *_, **__):
            return cls()

        def encode(self, text):
            raise ValueError("no tokenizer")

    stand_in = types.ModuleType("transformers")
    stand_in.AutoTokenizer = NoTokenizer
    sys.modules["transformers"] = stand_in
else:
    # Behind everything of Hermes' own, so that only what it lacks is taken from there.
    sys.path.append(job["site_packages"])

if job.get("one_certificate"):
    from one_certificate import use_one_certificate

    use_one_certificate(job["home"])

from trajectory_compressor import CompressionConfig, TrajectoryCompressor, main

for task in job["tasks"]:
    if task.get("sample") is not None:
        # Through its own command: that is where the sample is drawn.
        main(input=task["input"], output=task["output"], config=task["config"], **task["sample"])
        out.write(json.dumps({"output": task["output"]}) + "\n")
        continue
    config = CompressionConfig.from_yaml(task["config"])
    compressor = TrajectoryCompressor(config)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu_before = usage.ru_utime + usage.ru_stime
    started = time.monotonic()
    compressor.process_directory(Path(task["input"]), Path(task["output"]))
    seconds = time.monotonic() - started
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu = usage.ru_utime + usage.ru_stime - cpu_before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    out.write(json.dumps({"output": task["output"], "seconds": seconds, "cpu_seconds": cpu, "peak_bytes": peak}) + "\n")
out.close()
# Threads of Hermes that wait for nothing we need would hold the process.
os._exit(0)
