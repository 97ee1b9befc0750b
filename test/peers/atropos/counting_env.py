"""A real `BaseEnv` environment that counts: each group carries its number, so loss and duplication can be counted.

Nothing of `BaseEnv` is overridden but the methods every environment has to supply. What became of a group is read from the
log lines `BaseEnv` writes itself: the server's reply when a group was taken, an error when it was given up. Each goes as one
JSON line to `--env.record_path`.

    python counting_env.py serve --env.rollout_server_url http://127.0.0.1:8000 --env.record_path groups.jsonl

With `--env.asks_inference True` the completions come from the inference server named by `--openai.base_url` (vLLM's
`/generate`), through atroposlib's own ManagedServer; otherwise they are computed and no model is needed.
"""

import asyncio
import contextvars
import json
import logging
import time
from typing import Optional

from pydantic import Field

from atroposlib.envs.base import APIServerConfig, BaseEnv, BaseEnvConfig

PROMPT_TOKENS = 2

current_group = contextvars.ContextVar("current_group", default=None)


class CountingEnvConfig(BaseEnvConfig):
    record_path: Optional[str] = Field(default=None, description="Where to write one JSON line per group fate")
    asks_inference: bool = Field(default=False, description="Ask the inference server instead of counting")
    sequence_tokens: int = Field(default=12, description="Tokens per computed sequence")
    pause_seconds: float = Field(default=0.0, description="How long one computed rollout takes")


class Recorder(logging.Handler):
    """Turns the log lines of `BaseEnv` into facts about the group whose task wrote them."""

    def __init__(self, path):
        super().__init__(logging.DEBUG)
        self.file = open(path, "a", buffering=1)

    def emit(self, record):
        text = record.getMessage()
        if record.funcName == "register_env" and text.startswith("Initialized env with id"):
            self.write(event="registered", text=text)
        elif record.funcName == "_send_scored_data_to_api":
            if record.levelno == logging.DEBUG and not text.startswith("Server error"):
                self.write(event="acknowledged", number=current_group.get(), reply=text)
            elif record.levelno >= logging.ERROR:
                self.write(event="refused", number=current_group.get(), text=text)
        elif record.funcName == "handle_send_to_api" and record.levelno >= logging.ERROR:
            self.write(event="given-up", number=current_group.get(), text=text)

    def write(self, **fact):
        self.file.write(json.dumps({"at": time.time(), **fact}) + "\n")


class CountingEnv(BaseEnv):
    name = "counting"
    env_config_cls = CountingEnvConfig

    @classmethod
    def config_init(cls):
        # No health check: the computed path has no inference server that could be healthy.
        server = APIServerConfig(model_name="byte", base_url="http://127.0.0.1:9/v1", api_key="x", health_check=False)
        return CountingEnvConfig(wandb_name=cls.name, tokenizer_name="byte"), [server]

    async def setup(self):
        self.groups_started = 0
        if self.config.record_path is not None:
            recorder = Recorder(self.config.record_path)
            base_logger = logging.getLogger("atroposlib.envs.base")
            base_logger.addHandler(recorder)
            # `BaseEnv` reports a refused group on the root logger, everything else on its own.
            logging.getLogger().addHandler(recorder)
            base_logger.propagate = False

    async def get_next_item(self):
        return {"kind": "count"}

    async def evaluate(self):
        pass

    async def collect_trajectories(self, item):
        number = self.groups_started
        self.groups_started += 1
        current_group.set(number)
        group = await self.ask_for_group(number) if self.config.asks_inference else await self.compute_group(number)
        group["group_overrides"] = {"group_number": number}
        return group, []

    async def compute_group(self, number):
        await asyncio.sleep(self.config.pause_seconds)
        size, length = self.config.group_size, self.config.sequence_tokens
        tokens = [[(number + index + place) % 50_000 for place in range(length)] for index in range(size)]
        return {
            "tokens": tokens,
            "masks": [[-100] * PROMPT_TOKENS + row[PROMPT_TOKENS:] for row in tokens],
            "scores": [index / size for index in range(size)],
            "inference_logprobs": [[1.0] * PROMPT_TOKENS + [-0.5] * (length - PROMPT_TOKENS) for _ in tokens],
        }

    async def ask_for_group(self, number):
        async with self.server.managed_server(tokenizer=self.tokenizer) as managed:
            await managed.chat_completion(
                messages=[{"role": "user", "content": f"count from {number}"}], n=self.config.group_size, max_tokens=16
            )
            nodes = managed.get_state()["nodes"]
        return {
            "tokens": [node.tokens for node in nodes],
            "masks": [node.masked_tokens for node in nodes],
            "scores": [index / len(nodes) for index in range(len(nodes))],
            "inference_logprobs": [node.logprobs for node in nodes],
        }


if __name__ == "__main__":
    CountingEnv.cli()
