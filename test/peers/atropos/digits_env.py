"""The toy `digits` as an Atropos environment: the share of a reply that is the wanted digit.

It is `packages/environments/src/digits` once more; all but the score is `vowels_env.py`.

    python digits_env.py serve --env.tokenizer_name FOLDER --env.rollout_server_url URL --openai.base_url URL/v1
"""

from pydantic import Field

from vowels_env import VowelsEnv, VowelsEnvConfig


class DigitsEnvConfig(VowelsEnvConfig):
    digit: str = Field(default="7", description="The digit that is wanted")


class DigitsEnv(VowelsEnv):
    name = "digits"
    env_config_cls = DigitsEnvConfig

    def score(self, reply: str) -> float:
        return min(1.0, reply.count(self.config.digit) / self.config.reply_tokens)


if __name__ == "__main__":
    DigitsEnv.cli()
