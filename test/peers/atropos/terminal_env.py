"""An agent with a shell, as Atropos users write one: ask, run the command with `subprocess.run`, ask again.

It knows nothing of Lachesis and has no sandbox: commands run as the user who started it, in a temporary folder. Nothing
is tokenized, which saves it work that a training run would have.

    python terminal_env.py process --env.group_size 30 --env.total_steps 2 --openai.base_url http://localhost:9000/v1
"""

import asyncio
import json
import subprocess
import tempfile
from pathlib import Path

from pydantic import Field

from atroposlib.envs.base import APIServerConfig, BaseEnv, BaseEnvConfig, ScoredDataItem

TERMINAL = {
    "type": "function",
    "function": {
        "name": "terminal",
        "description": "Runs a shell command and gives its output and exit code.",
        "parameters": {
            "type": "object",
            "properties": {"command": {"type": "string"}},
            "required": ["command"],
        },
    },
}


class TerminalEnvConfig(BaseEnvConfig):
    task_file: str = Field(default="", description="JSON with prompt, data and answer")
    in_threads: bool = Field(default=False, description="Run commands in threads, so that the event loop goes on")
    max_turns: int = Field(default=30, description="Turns of the model in one rollout")


class TerminalEnv(BaseEnv):
    name = "terminal"
    env_config_cls = TerminalEnvConfig

    @classmethod
    def config_init(cls):
        config = cls.env_config_cls(tokenizer_name="Qwen/Qwen3-8B", group_size=16, use_wandb=False, wandb_name=cls.name)
        server = APIServerConfig(
            model_name="policy", base_url="http://localhost:9000/v1", api_key="x", server_type="openai"
        )
        return config, [server]

    async def setup(self):
        self.task = json.loads(Path(self.config.task_file).read_text())

    async def get_next_item(self):
        return self.task

    async def evaluate(self, *args, **kwargs):
        pass

    async def collect_trajectory(self, item):
        messages = [{"role": "user", "content": item["prompt"]}]
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "data.csv").write_text(item["data"])
            for _ in range(self.config.max_turns):
                reply = await self.server.chat_completion(
                    messages=messages, tools=[TERMINAL], n=1, max_tokens=512, temperature=1.0
                )
                message = reply.choices[0].message
                messages.append(message.model_dump(exclude_none=True))
                if not message.tool_calls:
                    break
                for call in message.tool_calls:
                    command = json.loads(call.function.arguments)["command"]
                    messages.append(
                        {"role": "tool", "tool_call_id": call.id, "content": await self.run_command(command, folder)}
                    )
        answer = (message.content or "").strip()
        score = 1.0 if answer == item["answer"] else 0.0
        return ScoredDataItem(tokens=[1, 2], masks=[-100, 2], scores=score, messages=messages), []

    async def run_command(self, command, folder):
        if self.config.in_threads:
            done = await asyncio.to_thread(run_shell, command, folder)
        else:
            done = run_shell(command, folder)
        return done.stdout + done.stderr


def run_shell(command, folder):
    return subprocess.run(["/bin/sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=120)


if __name__ == "__main__":
    TerminalEnv.cli()
