import { findTrainingRun, listTrainingRuns, openHome } from '@lachesis/store';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { train, type TrainOptions } from './train.ts';

const SCRIPT = new URL('./train-process.fixture.ts', import.meta.url).pathname;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lachesis-train-'));
});
afterAll(() => rm(directory, { recursive: true }));

type Case = TrainOptions & { events: string[]; lines: string[]; log: string };

function plan(name: string, finishAfterStarts: number, program = [SCRIPT]): Case {
  const log = join(directory, `${name}.txt`);
  const events: string[] = [];
  const lines: string[] = [];
  const env = { ...process.env, TRAIN_CASE_LOG: log };
  const station = (given: readonly unknown[], readyUrl?: string) => ({
    ...{ file: process.execPath, arguments: [...program, ...given.map(String)], env, readyUrl },
  });
  return {
    ...{ events, lines, log, home: join(directory, 'home'), run: name, kind: 'rl', env },
    ...{ anyPort: true, isChecked: false, engineUrl: undefined, findFile: async () => undefined },
    program: { file: process.execPath, arguments: [] },
    resolved: {
      ...{ environment: 'toy', config: {}, environmentFile: {}, totalSteps: 3 },
      ...{ wandbProject: null, wandbRunName: null, recipe: { env: {}, openai: [], tinker: {} } },
    },
    replace: {
      plan: () => (_run, ports) => {
        const at = (port: number | null): string => `http://127.0.0.1:${port}/v1/trainer`;
        return {
          statusUrl: at(ports.trainer),
          processes: {
            api: station(['api', ports.api], at(ports.api)),
            trainer: station(['trainer', ports.trainer, finishAfterStarts], at(ports.trainer)),
            env: { ...station(['environment']), mayEnd: true },
          },
        };
      },
    },
    signal: new AbortController().signal,
    onEvent: (sentence) => void events.push(sentence),
    onLine: (line) => void lines.push(line),
  };
}

const findRow = async ({ home, run: shortId }: Case) => {
  const { store } = await openHome({ home });
  try {
    return await findTrainingRun({ store, tenantId: 'local', shortId });
  } finally {
    await store.close();
  }
};

test('starts the three in order, keeps them alive, and ends them in the other order; the row says how it ended', async () => {
  const options = plan('whole', 2);
  expect(await train(options)).toMatchObject({ state: 'finished', step: 3 });
  expect((await readFile(options.log, 'utf8')).trim().split('\n')).toEqual([
    'api start',
    'trainer start',
    'environment start',
    'environment start',
    'environment end',
    'trainer end',
    'api end',
  ]);
  expect(options.events).toContain('the environment died (SIGKILL) and is started again');
  expect(options.lines).toEqual(['trainer listens']);
  expect(await findRow(options)).toMatchObject({ kind: 'rl', state: 'completed', environment: 'toy' });
});

test('goes on with a run under its name', async () => {
  const options = plan('again', 0);
  await train(options);
  await train({ ...options, resolved: { ...options.resolved, config: { learning_rate: 2 } } });
  expect(await findRow(options)).toMatchObject({ state: 'completed', config: { values: { learning_rate: 2 } } });
  const { store } = await openHome({ home: options.home });
  const runs = await listTrainingRuns({ store, tenantId: 'local' });
  expect(runs.filter(({ shortId }) => shortId === 'again')).toHaveLength(1);
  await store.close();
});

test('ends them too when somebody stops it, and refuses a second one of its name meanwhile', async () => {
  const options = plan('stopped', Number.POSITIVE_INFINITY);
  const abort = new AbortController();
  const running = train({ ...options, signal: abort.signal });
  while (!options.events.some((event) => event.startsWith('environment started'))) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await expect(train(options)).rejects.toThrow('the run stopped goes on already, looked after by');
  abort.abort(new Error('enough'));
  await running;
  expect((await readFile(options.log, 'utf8')).trim().split('\n').slice(-2)).toEqual(['trainer end', 'api end']);
  expect(await findRow(options)).toMatchObject({ state: 'stopped', reason: 'was stopped: at the terminal' });
});

test('says which process does not come up, and where its log is', async () => {
  const options = plan('broken', 0, ['-e', 'process.exit(78)', '--']);
  await expect(train(options)).rejects.toThrow(
    /trajectory API cannot start with what it was given[\s\S]*api_broken\.log/,
  );
  expect(options.events.filter((event) => event.includes('started again'))).toEqual([]);
  expect(await findRow(options)).toMatchObject({ state: 'failed' });
});
