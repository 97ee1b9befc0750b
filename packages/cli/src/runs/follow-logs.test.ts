import type { Clock, RunRole } from '@lachesis/protocol';
import { ClientError, type ControlClient } from '@lachesis/sdk';
import { expect, it } from 'vitest';
import { followLogs } from './follow-logs.ts';

const clock: Clock = { now: () => 0, sleep: async () => undefined };
const broken = () => new ClientError({ code: 'connection', call: 'GET /', reason: 'broke off', retryable: true });

/** Each call of a role takes the next part of its script: lines, and whether the stream breaks off behind them. */
function script(parts: Partial<Record<RunRole, { lines: string[]; breaks?: boolean }[]>>) {
  const offsets: (string | undefined)[] = [];
  return {
    offsets,
    async *followLog(
      ...[, role, options = {}]: Parameters<ControlClient['followLog']>
    ): ReturnType<ControlClient['followLog']> {
      offsets.push(options.offset);
      const part = parts[role]?.shift();
      if (part === undefined) return;
      if (part.lines.length > 0) yield { lines: part.lines, offset: `after ${part.lines.at(-1)}` };
      if (part.breaks === true) throw broken();
    },
  };
}

async function follow(client: ReturnType<typeof script>, options: { follow: boolean; roles?: readonly RunRole[] }) {
  const lines: string[] = [];
  let timesAway = 0;
  await followLogs({
    ...{ client, runId: 'k3v9x2ab', roles: ['api', 'env'], tail: undefined, clock, ...options },
    signal: new AbortController().signal,
    onLine: (role, line) => lines.push(`${role} ${line}`),
    onAway: () => (timesAway += 1),
  });
  return { lines, timesAway };
}

it('tells what is there, one process after another', async () => {
  const client = script({ api: [{ lines: ['1', '2'] }], env: [{ lines: ['3'] }] });
  expect((await follow(client, { follow: false })).lines).toEqual(['api 1', 'api 2', 'env 3']);
});

it('goes on behind the last line when the stream breaks off, and says so once', async () => {
  const client = script({
    env: [{ lines: ['1'], breaks: true }, { lines: [], breaks: true }, { lines: ['2'] }],
  });
  const { lines, timesAway } = await follow(client, { follow: true, roles: ['env'] });
  expect(lines).toEqual(['env 1', 'env 2']);
  expect(client.offsets).toEqual([undefined, 'after 1', 'after 1']);
  expect(timesAway).toBe(1);
});

it('fails instead of waiting when nothing is to be followed', async () => {
  const client = script({ api: [{ lines: [], breaks: true }] });
  await expect(follow(client, { follow: false })).rejects.toThrow('broke off');
});
