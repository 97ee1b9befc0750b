"""The fault this suite exists to find: an environment that keeps the text of a reply and makes its tokens from it again.

Mask, log probabilities and lengths stay as they were, so that nothing else looks wrong.
"""

from vowels_env import VowelsEnv

MASKED = -100


class ReEncodingEnv(VowelsEnv):
    name = "re-encoding"

    async def collect_trajectories(self, item):
        group, backlog = await super().collect_trajectories(item)
        for row, masks in zip(group["tokens"], group["masks"]):
            start = sum(mask == MASKED for mask in masks)
            reply = row[start:]
            again = self.tokenizer.encode(self.tokenizer.decode(reply))
            row[start:] = masks[start:] = (again + reply)[: len(reply)]
        return group, backlog


if __name__ == "__main__":
    ReEncodingEnv.cli()
