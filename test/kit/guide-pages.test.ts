import { LEARNING_CAUSES } from '@lachesis/protocol';
import { createTrainingRun, findOrCreateRun, openStore, recordMetricPoints } from '@lachesis/store';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startControlServer } from './start-control-server.ts';
import { typePage } from './type-page.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(ROOT, 'packages/cli/src/main.ts');

/** A home with runs of one environment that have ended: with another rate, another seed, and one that earned nothing. */
async function writeRuns(home: string): Promise<void> {
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  const settings = {
    first: [2e-3, 0],
    second: [1e-3, 0],
    'seed-1': [2e-3, 1],
    'seed-2': [2e-3, 2],
    stuck: [2e-3, 0],
  } as const;
  for (const [name, [rate, seed]] of Object.entries(settings)) {
    const place = { logPath: join(home, 'log'), port: null };
    await createTrainingRun({
      ...{ store, tenantId: 'local', environment: 'digits', details: () => ({}), nextShortId: () => name },
      config: { recipe: { env: { seed }, openai: [], tinker: { learning_rate: rate } } },
      processes: () => ({ api: place, trainer: place, env: place }),
    });
    const { runId } = await findOrCreateRun({ store, tenantId: 'local', name });
    const isStuck = name === 'stuck';
    const points = [1, 2, 3].flatMap((step) => [
      { series: 'reward/mean', step, at: step, value: isStuck ? 0 : step * rate * 100 },
      { series: 'train/groups', step, at: step, value: 4 },
      { series: 'train/dead_groups', step, at: step, value: isStuck ? 4 : 0 },
    ]);
    await recordMetricPoints({ store, tenantId: 'local', runId, points });
    const folder = join(home, 'runs', name, 'environments', 'digits', 'evals', 'step-3');
    await mkdir(folder, { recursive: true });
    const rows = [0, 1, 2, 3].map((item) => JSON.stringify({ key: `k${item}`, score: item < rate * 1_500 ? 1 : 0 }));
    await writeFile(join(folder, 'samples.jsonl'), rows.join('\n'));
  }
  await store.db.updateTable('training_runs').set({ state: 'completed', reason: null, ended_at: 1 }).execute();
  await store.close();
}

/** Follows a page of the guides in an empty folder, with `lachesis` on the path and a control server over a home of runs. */
async function followGuide(name: string) {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-guide-'));
  await writeRuns(home);
  const server = await startControlServer({ home });
  onTestFinished(async () => {
    await server.process.stop();
    await rm(home, { recursive: true, force: true });
  });
  const folder = join(home, 'work');
  await mkdir(join(folder, 'bin'), { recursive: true });
  const command = join(folder, 'bin', 'lachesis');
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" --conditions=lachesis-source "${MAIN}" "$@"\n`);
  await chmod(command, 0o755);
  await symlink(join(ROOT, 'packages/cli/node_modules'), join(folder, 'node_modules'));
  const page = await readFile(join(ROOT, 'docs/guides', `${name}.md`), 'utf8');
  const path = [join(folder, 'bin'), dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  const env = { HOME: folder, PATH: path, RL_API_URL: server.url, NODE_OPTIONS: '--conditions=lachesis-source' };
  const typed = await typePage({ page, folder, env, log: () => {} });
  return { ...typed, folder, output: typed.commands.map(({ output }) => output).join('\n') };
}

test('the guide to comparing runs does what it says', async () => {
  const { commands, failed, folder, output } = await followGuide('compare-runs');
  expect(failed).toEqual([]);
  expect(commands.length).toBe(6);
  expect(output).toContain('tinker.learning_rate');
  expect(output).toMatch(/second − first: .0\.\d+, 95 % .* \(paired by item: 4 items/);
  expect(output).toContain('seeds, mean and range');
  expect(await readFile(join(folder, 'comparison.html'), 'utf8')).toContain('<svg');
  expect(JSON.parse(await readFile(join(folder, 'comparison.json'), 'utf8'))).toMatchObject({ runs: [{}, {}] });
}, 300_000);

test('the guide to the ten tools does what it says', async () => {
  const { commands, failed, output } = await followGuide('the-ten-tools');
  expect(failed).toEqual([]);
  expect(commands.length).toBe(1);
  expect(output).toContain("server: 'ok'");
  expect(output).toContain('Set seed to 7.');
  expect(output).toContain('temperature must be at most 2');
  expect(output).toContain('"reward/mean"');
}, 300_000);

test('the guide to why a run does not learn does what it says', async () => {
  const { commands, failed, output } = await followGuide('why-it-does-not-learn');
  expect(failed).toEqual([]);
  expect(commands.length).toBe(3);
  expect(output).toContain('no-reward: no reply has earned anything in 3 steps');
  expect(output).toContain('lachesis train warm-up --environment digits');
  expect(output).toContain('"cause":"no-reward"');
  expect(output).toContain('grades its own examples');
}, 300_000);

test('the guide to why a run does not learn has every cause, in the order in which they are tried', async () => {
  const page = await readFile(join(ROOT, 'docs/guides/why-it-does-not-learn.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, cause]) => cause);
  expect(listed).toEqual([...LEARNING_CAUSES]);
});
