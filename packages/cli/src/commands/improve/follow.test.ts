import type { ModelImprovement } from '@lachesis/protocol';
import { ClientError } from '@lachesis/sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createProgressReader, followImprovement } from './follow.ts';
import { describeProgress } from './run.ts';

const begun: ModelImprovement = {
  ...{ improvement_id: 'i', model: 'm', stage: 'collect', outcome: null, reason: null, problem: null, stages: [] },
  ...{ state: 'waiting', progress: null, created_at: 1, ended_at: null },
};
const done = (...names: string[]): ModelImprovement['stages'] => names.map((stage) => ({ stage, content: {} }));

function tell(looks: readonly Partial<ModelImprovement>[], from: ModelImprovement = begun): string[] {
  const read = createProgressReader(from);
  return looks.flatMap((look) => read({ ...from, ...look }).map((progress) => describeProgress(progress).trim()));
}

test('what is seen of a server reads as what a process here says of itself', () => {
  expect(
    tell([
      {},
      { state: 'running' },
      { state: 'running', stage: 'rate', stages: done('collect', 'filter') },
      { state: 'running', stage: 'rate', stages: done('collect', 'filter'), progress: '3 of 4' },
      { state: 'running', stage: 'rate', stages: done('collect', 'filter'), progress: '3 of 4' },
      {
        state: 'ended',
        stage: 'rate',
        stages: done('collect', 'filter', 'rate'),
        outcome: 'too-few',
        reason: '4 of 20',
      },
    ]),
  ).toEqual([
    'collect started',
    'collect done',
    'filter started',
    'filter done',
    'rate started',
    'rate working: 3 of 4',
    'rate done: too-few: 4 of 20',
  ]);
});

test('one that goes on is told from where it stood, and one that is stopped ends in its stage', () => {
  const from = { ...begun, stage: 'train', stages: done('collect', 'filter') };
  expect(tell([{ state: 'running' }, { state: 'ended', outcome: 'stopped', reason: 'asked for' }], from)).toEqual([
    'train started',
  ]);
});

/** Follows over these answers of a server; gives what was said and whether the command failed. */
async function follow(answers: readonly (ModelImprovement | 'away')[], signal = new AbortController().signal) {
  let said = '';
  const write = (text: string | Uint8Array): boolean => ((said += String(text)), true);
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockImplementation(write);
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
  const { exitCode } = process;
  onTestFinished(() => {
    vi.restoreAllMocks();
    process.exitCode = exitCode;
  });
  const left = [...answers];
  const signals: unknown[] = [];
  const readImprovement = async (_ref: string, options: { signal?: AbortSignal | undefined } = {}) => {
    signals.push(options.signal);
    const answer = left.shift() ?? 'away';
    if (answer !== 'away') return answer;
    throw new ClientError({ code: 'connection', call: 'GET /', reason: 'it is away', retryable: true });
  };
  const end = await followImprovement({
    ...{ client: { readImprovement }, from: begun, isJson: false, signal, lookEveryMs: 1, awayMs: 200 },
  }).then(
    () => 'followed',
    (error: unknown) => String(error),
  );
  expect(signals.every((one) => one === signal)).toBe(true);
  return { end, said };
}

test('a server that is started again is waited for, and one that stays away leaves the improvement going', async () => {
  const ended: ModelImprovement = {
    ...begun,
    state: 'ended',
    outcome: 'promoted',
    reason: 'm@1 is served',
    ended_at: 2,
  };
  const back = await follow(['away', 'away', 'away', ended]);
  expect(back.end).toBe('followed');
  expect(back.said).toContain('promoted');
  const gone = await follow([]);
  expect(gone.end).toBe('Error: exit 1');
  expect(gone.said).toMatch(/away.*It goes on there; follow it again with `lachesis improve resume --model i`/);
});

test('Ctrl-C while the server is away says that the improvement goes on', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  const { end, said } = await follow([], stop.signal);
  expect([end, said]).toEqual(['followed', expect.stringContaining('it goes on on the server')]);
});
