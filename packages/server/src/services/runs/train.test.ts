import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTraining, type TrainOptions } from './train.ts';

const SCRIPT = new URL('./train-process.fixture.ts', import.meta.url).pathname;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lachesis-train-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function plan(
  name: string,
  finishAfterStarts: number,
): Promise<TrainOptions & { events: string[]; lines: string[]; log: string }> {
  const [apiPort, trainerPort] = [await findFreePort(), await findFreePort()];
  const log = join(directory, `${name}.txt`);
  const events: string[] = [];
  const lines: string[] = [];
  const logPath = (part: string): string => join(directory, `${name}-${part}.log`);
  return {
    events,
    lines,
    log,
    command: { file: process.execPath, arguments: [SCRIPT] },
    variables: { TRAIN_CASE_LOG: log },
    api: {
      name: 'trajectory API',
      arguments: ['api', String(apiPort)],
      logPath: logPath('api'),
      readyUrl: `http://127.0.0.1:${apiPort}/`,
    },
    trainer: {
      name: 'trainer',
      arguments: ['trainer', String(trainerPort), String(finishAfterStarts)],
      logPath: logPath('trainer'),
      readyUrl: `http://127.0.0.1:${trainerPort}/v1/trainer`,
    },
    environment: { name: 'environment', arguments: ['environment'], logPath: logPath('env') },
    statusUrl: `http://127.0.0.1:${trainerPort}/v1/trainer`,
    signal: new AbortController().signal,
    onEvent: (sentence) => void events.push(sentence),
    onLine: (line) => void lines.push(line),
  };
}

test('starts the three in order, keeps them alive, and ends them in the other order', async () => {
  const options = await plan('whole', 2);
  expect(await runTraining(options)).toMatchObject({ state: 'finished', step: 3 });
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
  expect(await readFile(options.trainer.logPath, 'utf8')).toBe('trainer listens\n');
});

test('ends them too when somebody stops it', async () => {
  const options = await plan('stopped', Number.POSITIVE_INFINITY);
  const abort = new AbortController();
  const running = runTraining({ ...options, signal: abort.signal });
  while (!options.events.some((event) => event.startsWith('environment started'))) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  abort.abort(new Error('enough'));
  await running;
  expect((await readFile(options.log, 'utf8')).trim().split('\n').slice(-2)).toEqual(['trainer end', 'api end']);
});

test('says which process does not come up, and where its log is', async () => {
  const options = await plan('broken', 0);
  const broken = { ...options, command: { file: process.execPath, arguments: ['-e', 'process.exit(3)', '--'] } };
  await expect(runTraining({ ...broken, readyMs: 20_000 })).rejects.toThrow(/trajectory API ended 5 times.*-api\.log/);
});

test('does not start a process again that says it never can', async () => {
  const options = await plan('refused', 0);
  const refused = { ...options, command: { file: process.execPath, arguments: ['-e', 'process.exit(78)', '--'] } };
  await expect(runTraining({ ...refused, readyMs: 20_000 })).rejects.toThrow(
    /trajectory API cannot start with what it was given.*-api\.log/,
  );
  expect(options.events.filter((event) => event.includes('started again'))).toEqual([]);
});

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
