"""The toy `digits` as an Atropos environment: the share of a reply that is the wanted digit.

It is `packages/environments/src/digits` once more, written as Atropos users write one; the tokenizer is that of the model.

    python digits_env.py serve --env.tokenizer_name FOLDER --env.rollout_server_url URL --openai.base_url URL/v1
"""

from typing import Optional

from pydantic import Field

from atroposlib.envs.base import APIServerConfig, BaseEnv, BaseEnvConfig, ScoredDataGroup

PROMPTS = ["Write digits.", "Give digits.", "Say numbers.", "More digits."]


class DigitsEnvConfig(BaseEnvConfig):
    digit: str = Field(default="7", description="The digit that is wanted")
    reply_tokens: int = Field(default=8, description="Tokens of a reply")


class DigitsEnv(BaseEnv):
    name = "digits"
    env_config_cls = DigitsEnvConfig

    @classmethod
    def config_init(cls):
        config = DigitsEnvConfig(group_size=16, use_wandb=False, wandb_name=cls.name)
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
        return min(1.0, reply.count(self.config.digit) / self.config.reply_tokens)


if __name__ == "__main__":
    DigitsEnv.cli()
