import { setTimeout as sleep } from 'node:timers/promises';
import type { TrajectoryDetail } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';

export interface Expected {
  /** `all` for ids and logprobs of every reply, or the reason that stands in their place. */
  readonly tokens: string;
}

const STREAMS = [false, true, true, false];
const AI_SDK_STREAMS = [false, false, true, true];

/** Waits until the library holds as many trajectories, and returns the newest. */
export async function waitForTrajectory(
  library: LibraryClient,
  known: ReadonlySet<string>,
  turns: number,
): Promise<TrajectoryDetail | undefined> {
  let found: TrajectoryDetail | undefined;
  for (let tries = 0; tries < 60; tries += 1) {
    const { trajectories } = await library.listTrajectories({ limit: 50 });
    const fresh = trajectories.find(({ trajectory_id: id }) => !known.has(id));
    if (fresh !== undefined) found = await library.readTrajectory(fresh.trajectory_id);
    if (found !== undefined && found.turns.length >= turns) return found;
    await sleep(250);
  }
  return found;
}

/** What is wrong with the record of the agent's four calls; nothing when it is whole. */
export function judgeTrajectory({ summary, turns, gaps }: TrajectoryDetail, { tokens }: Expected): string[] {
  const problems: string[] = [];
  const check = (isRight: boolean, problem: string): void => void (isRight || problems.push(problem));
  check(turns.length === 4, `${turns.length} turns`);
  check(summary.tool_call_count === 2, `${summary.tool_call_count} tool calls`);
  check(
    turns.every(({ state }) => state === 'complete'),
    `states ${turns.map(({ state }) => state).join()}`,
  );
  check(
    turns.every(({ parent_index: parent }, index) => parent === (index === 0 ? null : index - 1)),
    `parents ${turns.map((turn) => turn.parent_index).join()}`,
  );
  const streams = JSON.stringify(turns.map((turn) => turn.is_stream));
  check(
    [STREAMS, AI_SDK_STREAMS].some((wanted) => JSON.stringify(wanted) === streams),
    `streams ${streams}`,
  );
  check(
    turns.every(({ tools }) => tools?.[0]?.function?.name === 'add'),
    'tools are missing',
  );
  const calls = turns
    .flatMap(({ replies }) => replies[0]?.message.tool_calls ?? [])
    .map((call) => call.function.arguments);
  check(calls.join() === '{"a": 20, "b": 22},{"a": 1, "b": 2}', `arguments ${calls.join()}`);
  const said = turns.map(({ replies }) => JSON.stringify(replies[0]?.message.content ?? ''));
  check(said[1] === '"It is 42."' && said[3] === '"It is 3."', `replies ${said.join(' | ')}`);
  const results = turns.flatMap(({ messages }) =>
    messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content)),
  );
  check(results.join() === '"sum=42","sum=3"', `results ${results.join()}`);
  check(gaps.length === 0, `${gaps.length} gaps`);
  for (const { turn_index: index, replies } of turns) {
    const reply = replies[0];
    const isRight =
      tokens === 'all'
        ? reply?.tokens !== null &&
          reply?.tokens !== undefined &&
          reply.tokens.token_ids.length > 0 &&
          reply.tokens.token_ids.length === reply.tokens.logprobs.length &&
          (reply.tokens.prompt_token_ids?.length ?? 0) > 0
        : reply?.tokens === null && reply.tokens_missing === tokens;
    check(isRight, `tokens of turn ${index}: ${reply?.tokens_missing ?? 'present'}`);
  }
  return problems;
}
