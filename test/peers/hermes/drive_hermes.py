"""Drives the real hermes-agent in one process. Reads one job (JSON) from standard input, writes answers as lines of JSON.

Nothing of Hermes is replaced but two things that need the network: the tokenizer and the summariser of its compressor.
"""

import io
import json
import logging
import os
import sys

out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
# Hermes prints to standard output; what it says there is no answer of ours.
sys.stdout = open(os.devnull, "w", encoding="utf-8")


def answer(**fields):
    out.write(json.dumps(fields) + "\n")


job = json.load(sys.stdin)
os.environ["HERMES_HOME"] = job["home"]
os.makedirs(job["home"], exist_ok=True)
os.chdir(job["home"])

from one_certificate import use_one_certificate

use_one_certificate(job["home"])

SAVED = {True: "trajectory_samples.jsonl", False: "failed_trajectories.jsonl"}
offsets = {True: 0, False: 0}


def take_saved():
    """The lines that were appended since the last call."""
    lines = []
    for completed, name in SAVED.items():
        if not os.path.exists(name):
            continue
        with io.open(name, "rb") as file:
            file.seek(offsets[completed])
            data = file.read()
        offsets[completed] += len(data)
        lines += [line.decode("utf-8") for line in data.split(b"\n") if line]
    return lines


TOOLS = {
    "say_back": "Gives back the text it is given.",
    "measure": "Gives back a measurement as it is given.",
}


def make_agent(save, session_db=None):
    from run_agent import AIAgent
    from tools.registry import registry

    for name, description in TOOLS.items():
        schema = {
            "name": name,
            "description": description,
            "parameters": {"type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"]},
        }
        registry.register(
            name=name, toolset="lachesis", schema=schema, override=True, handler=lambda args, **_: args.get("result", "")
        )
    return AIAgent(
        base_url=job["base_url"],
        api_key="no-key",
        provider="custom",
        model="scripted",
        enabled_toolsets=["lachesis"],
        save_trajectories=save,
        quiet_mode=True,
        skip_context_files=True,
        skip_memory=True,
        tool_delay=0,
        max_iterations=8,
        session_db=session_db,
    )


def run_conversations():
    """Whole conversations with the scripted model, saved by Hermes at the end of each turn."""
    from pathlib import Path

    from batch_runner import _extract_tool_stats
    from hermes_state import SessionDB

    db = SessionDB(db_path=Path(job["home"]) / "state.db")
    shared = make_agent(True)
    for place, task in enumerate(job["conversations"]):
        # An agent takes half a second to make, and those of one agent are one session: the first ones have their own.
        agent = make_agent(True, db) if place < job["sessions"] else shared
        history = None
        for question in task["questions"]:
            result = agent.run_conversation(question, conversation_history=history)
            history = result["messages"]
            answer(
                kind="conversation",
                id=task["id"],
                question=question,
                messages=history,
                completed=bool(result["completed"]),
                session=agent.session_id if agent is not shared else None,
                tools=agent.tools,
                stats=_extract_tool_stats(history),
                saved=take_saved(),
            )
    with open(os.path.join(job["home"], "sessions.jsonl"), "w", encoding="utf-8") as file:
        for session in db.export_all():
            file.write(json.dumps(session, ensure_ascii=False) + "\n")


def save_messages():
    """Lists of messages that no scripted conversation brings about, through Hermes' own saving."""
    agent = make_agent(True)
    for task in job["lists"]:
        agent._save_trajectory(task["messages"], task["query"], task["completed"])
        answer(kind="list", id=task["id"], saved=take_saved())


def run_batch():
    """Prompts through the worker of Hermes' batch runner, in this process."""
    from pathlib import Path

    from batch_runner import _process_batch_worker

    folder = Path(job["home"]) / "batch"
    folder.mkdir()
    config = {
        "distribution": "minimal",
        "base_url": job["base_url"],
        "api_key": "no-key",
        "model": "scripted",
        "max_iterations": 4,
    }
    _process_batch_worker((0, list(enumerate(job["prompts"])), str(folder), set(), config))
    answer(kind="batch", file=str(folder / "batch_0.jsonl"))


class CharacterTokenizer:
    def encode(self, text, **_):
        return list(text)


def read_ours():
    """Our files in the hands of Hermes: its compressor, and the reader with which its batch runner resumes."""
    from pathlib import Path

    from batch_runner import BatchRunner
    from trajectory_compressor import CompressionConfig, TrajectoryCompressor

    runner = object.__new__(BatchRunner)
    runner.output_dir = Path(job["ours"]["batch_folder"])
    answer(kind="resume", prompts=sorted(runner._scan_completed_prompts_by_content()))

    compressor = object.__new__(TrajectoryCompressor)
    compressor.config = CompressionConfig()
    compressor.config.target_max_tokens = job["ours"]["target"]
    compressor.config.summary_target_tokens = 20
    compressor.tokenizer = CharacterTokenizer()
    compressor.logger = logging.getLogger("compressor")
    compressor.aggregate_metrics = None
    compressor._generate_summary = lambda *_: "[CONTEXT SUMMARY]: shorter"
    with open(job["ours"]["file"], encoding="utf-8") as file:
        for line in file:
            entry, metrics = compressor.process_entry(json.loads(line))
            answer(
                kind="compressed",
                line=json.dumps(entry, ensure_ascii=False),
                tokens=metrics.original_tokens,
                turns=metrics.original_turns,
                was_compressed=metrics.was_compressed,
            )


if "conversations" in job:
    run_conversations()
if "lists" in job:
    save_messages()
if "prompts" in job:
    run_batch()
if "ours" in job:
    read_ours()
out.close()
# Threads of Hermes that wait for nothing we need would hold the process.
os._exit(0)
