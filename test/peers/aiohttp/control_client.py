"""The calls of the control API as programs over aiohttp make them: a session, 30 seconds for each call, JSON bodies where
there is something to say, and 200 as the one status that counts as success. Prints one JSON line per fact.

Usage: control_client.py URL PLAN, where PLAN is JSON:
  environment   the name to select
  edit          [field, value] that is right
  bad_edits     [[field, value], ...] of which each has to be refused with a sentence that names the field
  prompts       prompts for the inference test; left out when empty
  minimum_step  the step to wait for before the run is stopped
  wait_seconds  how long that may take
"""

import asyncio
import json
import sys
import time

import aiohttp

LIMIT = aiohttp.ClientTimeout(total=30)
FINAL = ("stopped", "completed", "failed")


class Refused(Exception):
    """Anything but 200."""

    def __init__(self, status, text):
        super().__init__(f"HTTP {status}: {text[:300]}")
        self.status = status
        self.text = text


class Control:
    def __init__(self, url, session):
        self.url = url
        self.session = session
        self.slowest = 0.0

    async def call(self, method, path, **arguments):
        began = time.monotonic()
        try:
            async with self.session.request(method, self.url + path, timeout=LIMIT, **arguments) as response:
                if response.status != 200:
                    raise Refused(response.status, await response.text())
                return await response.json()
        finally:
            self.slowest = max(self.slowest, time.monotonic() - began)

    async def refused(self, method, path, **arguments):
        try:
            answer = await self.call(method, path, **arguments)
        except Refused as refusal:
            return {"status": refusal.status, "text": refusal.text}
        return {"status": 200, "text": json.dumps(answer)}


def tell(name, got):
    print(json.dumps({"name": name, "got": got}), flush=True)


async def wait_for(control, run_id, is_reached, seconds):
    """Asks until it is so or the run has ended; gives the last status."""
    end = time.monotonic() + seconds
    while True:
        status = await control.call("GET", f"/runs/{run_id}")
        if is_reached(status) or status["status"] in FINAL or time.monotonic() > end:
            return status
        await asyncio.sleep(0.5)


async def main(url, plan):
    async with aiohttp.ClientSession() as session:
        control = Control(url, session)
        tell("aiohttp", aiohttp.__version__)
        tell("health", await control.call("GET", "/health"))
        tell("environments", await control.call("GET", "/environments"))
        tell("unknown environment", await control.refused("POST", "/environments/no_such_one/select"))
        # Neither of these has anything to say, so there is no body at all.
        tell("selected", await control.call("POST", f"/environments/{plan['environment']}/select"))
        tell("config", await control.call("GET", "/config"))
        field, value = plan["edit"]
        tell("edited", await control.call("POST", "/config", json={"field": field, "value": value}))
        tell("edited config", await control.call("GET", "/config"))
        tell(
            "refused edits",
            [
                {"field": name, **await control.refused("POST", "/config", json={"field": name, "value": wrong})}
                for name, wrong in plan["bad_edits"]
            ],
        )
        started = await control.call("POST", "/runs", json={})
        tell("started", started)
        run_id = started["run_id"]
        tell("unknown run", await control.refused("GET", "/runs/nosuchid"))
        tell("first status", await control.call("GET", f"/runs/{run_id}"))
        tell(
            "status",
            await wait_for(
                control,
                run_id,
                lambda status: status["status"] == "running"
                and status.get("metrics", {}).get("step", 0) >= plan["minimum_step"],
                plan["wait_seconds"],
            ),
        )
        tell("runs", await control.call("GET", "/runs"))
        if plan["prompts"]:
            body = {"prompts": plan["prompts"], "max_tokens": 16, "temperature": 1.0}
            test = await control.call("POST", "/test/inference", json=body)
            while test.get("status") == "running":
                await asyncio.sleep(0.5)
                test = await control.call("GET", f"/test/inference/{test['test_id']}")
            tell("inference test", test)
        tell("stopped", await control.call("POST", f"/runs/{run_id}/stop"))
        tell("last status", await wait_for(control, run_id, lambda status: False, 15))
        tell("results", await control.call("GET", f"/runs/{run_id}/metrics"))
        tell("slowest", round(control.slowest, 3))


asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
