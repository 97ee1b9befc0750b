"""A whole environment as Atropos users write one: ask the policy, score the replies, send the group.

It knows nothing of Lachesis. The reward is the share of vowels in a reply: dense enough that a model of random weights
finds some at once, so that no warm-up is needed.

    python vowels_env.py serve --env.rollout_server_url http://localhost:8000 --openai.base_url http://localhost:8001/v1
"""

from typing import Optional

from pydantic import Field

from atroposlib.envs.base import APIServerConfig, BaseEnv, BaseEnvConfig, ScoredDataGroup

# All of one length for the tiny model: an engine that compiles for each length compiles once.
PROMPTS = ["Write digits.", "Give digits.", "Say numbers.", "More digits."]


class VowelsEnvConfig(BaseEnvConfig):
    reply_tokens: int = Field(default=8, description="How long a reply may get")


class VowelsEnv(BaseEnv):
    name = "vowels"
    env_config_cls = VowelsEnvConfig

    @classmethod
    def config_init(cls):
        config = cls.env_config_cls(tokenizer_name="Qwen/Qwen3-8B", group_size=16, use_wandb=False, wandb_name=cls.name)
        server = APIServerConfig(
            model_name="policy", base_url="http://localhost:8001/v1", api_key="x", server_type="sglang"
        )
        return config, [server]

    async def setup(self):
        self.asked = 0

    async def get_next_item(self):
        self.asked += 1
        return PROMPTS[self.asked % len(PROMPTS)]

    async def evaluate(self, *args, **kwargs):
        pass

    async def collect_trajectories(self, item) -> tuple[Optional[ScoredDataGroup], list]:
        async with self.server.managed_server(tokenizer=self.tokenizer) as managed:
            replies = await managed.chat_completion(
                messages=[{"role": "user", "content": item}],
                n=self.config.group_size,
                max_tokens=self.config.reply_tokens,
                temperature=1.0,
            )
            nodes = managed.get_state()["nodes"]
        group = ScoredDataGroup(tokens=[], masks=[], scores=[], inference_logprobs=[])
        for choice, node in zip(replies.choices, nodes):
            group["tokens"].append(node.tokens)
            group["masks"].append(node.masked_tokens)
            group["inference_logprobs"].append(node.logprobs)
            group["scores"].append(self.score(choice.message.content))
        return group, []

    def score(self, reply: str) -> float:
        return sum(character in "aeiou" for character in reply) / max(1, len(reply))


if __name__ == "__main__":
    VowelsEnv.cli()
