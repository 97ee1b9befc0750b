"""Records what the /status-env handler of atroposlib 0.4.0 answers for seeded random queues and environments.

usage: python record-status-env-vectors.py OUT.json [CASES] [SEED]
Run with Python 3.11 or older: from 3.12 on, sum() of floats compensates rounding and last digits differ.
"""

import asyncio
import json
import random
import sys

from atroposlib.api import server

WEIGHTS = [1.0, 1.0, 0.5, 0.1, 1 / 3, 2.7, 1e-4, 0.0, -1.0]
ALLOCATIONS = [None, None, 0.0, 0.1, 0.25, 0.3, 0.29, 0.5, 0.7, 1.0, 1.5, -0.25]


def make_case(chance):
    count = chance.randint(1, 6)
    sizes = chance.choice([[1], [2, 4], [1, 2, 4, 8], [3, 5, 7], [0, 1, 16], [16]])
    environments = [
        dict(
            env_id=env_id,
            connected=chance.random() < 0.85,
            min_batch_allocation=chance.choice(ALLOCATIONS),
            max_context_len=chance.choice([1, 512, 2048, 4096, 32768, 100003]),
            weight=chance.choice([*WEIGHTS, chance.random() * 3]),
            group_size=chance.choice([1, 2, 4, 8, 16, 3]),
        )
        for env_id in range(count)
    ]
    senders = [*range(count), *range(count), None, count + 3, -1]
    groups = [[chance.choice(senders), chance.choice(sizes)] for _ in range(chance.choice([0, 1, 3, 8, 20, 40]))]
    asked = chance.randrange(count) if chance.random() < 0.95 else chance.randrange(-count, 0)
    return dict(
        batch_size=chance.choice([1, 7, 8, 16, 29, 100, 128, 1000]),
        environments=environments,
        groups=groups,
        env_id=asked,
    )


def answer(case):
    state = server.app.state
    state.batchsize = case["batch_size"]
    state.status_dict = {"step": 0}
    state.queue = [dict(tokens=[[0]] * size, env_id=env_id) for env_id, size in case["groups"]]
    state.envs = [{**env, "registered_id": env["env_id"]} for env in case["environments"]]
    try:
        reply = asyncio.run(server.get_status_env(server.EnvIdentifier(env_id=case["env_id"])))
    except ZeroDivisionError:
        # Group sizes are positive here, so what divided by zero is the weight; nothing was answered or written back.
        return None
    del reply["current_step"]
    return {**reply, "env_group_size": state.envs[case["env_id"]]["group_size"]}


def main():
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 11)
    with open(sys.argv[1], "w") as out:
        out.write("[\n")
        for number in range(cases):
            case = make_case(chance)
            case["status"] = answer(case)
            out.write(json.dumps(case, separators=(",", ":")) + (",\n" if number + 1 < cases else "\n"))
        out.write("]\n")


main()
