import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { endProcesses } from '../demo/list-processes.ts';
import type { Place } from '../first-run/fresh-machine.ts';
import { installPackages } from '../first-run/install-packages.ts';
import { trainWithTenTools } from '../first-run/train-with-ten-tools.ts';
import { startKeyedServer } from './start-keyed-server.ts';

const run = promisify(execFile);
const KEY = 'tml-of-the-stranger';
const FEWEST_STEPS = 10;
/** Two groups, as few as show that it rises: how far it gets is shown by `first-run`. */
const BATCH_SIZE = 32;

/** The packages, an empty home and a key: ten tools, training and the weights, against a Tinker server that checks the key. */
export async function trainWithKey(context: ScenarioContext): Promise<void> {
  const root = await context.scratch();
  context.defer(() => endProcesses(root));
  const starting = startEnginePeer({ onProgress: ({ message }) => context.log(message) });
  context.defer(async () => (await starting).stop());
  const [engine, machine] = await Promise.all([starting, installPackages(context, root)]);
  const server = await startKeyedServer({ engineUrl: engine.url, key: KEY });
  context.defer(() => server.stop());
  const place = await machine.openInstalled('keyed');
  const env = { ...place.env, TINKER_BASE_URL: server.url, TINKER_API_KEY: KEY };
  const { tools, rewards, risen, status, weightsPath } = await trainWithTenTools({ ...place, env }, context.log, {
    stepsPerEvaluation: 0,
    batchSize: BATCH_SIZE,
    isEnough: (soFar) => soFar.length >= FEWEST_STEPS,
  });
  context.report({
    name: 'ten tools against a Tinker server that checks the key',
    figure: `${tools.length} tools, ${status}, ${rewards.length} steps, reward +${risen.toFixed(3)}; ${server.passed} calls with the key, ${server.refused} without`,
    bar: `10 tools, ≥ ${FEWEST_STEPS} steps, rising, 0 without`,
    ok: tools.length === 10 && rewards.length >= FEWEST_STEPS && risen > 0 && server.refused === 0,
  });
  const lachesis = join(machine.packages, 'node_modules', '.bin', 'lachesis');
  await showDownload(
    context,
    { ...place, env },
    { lachesis, weightsPath: weightsPath ?? 'none', engineUrl: engine.url },
  );
}

interface Downloaded {
  readonly files: readonly string[];
  /** What it said when it failed. */
  readonly problem: string;
}

async function showDownload(
  context: ScenarioContext,
  { folder, env }: Place,
  { lachesis, weightsPath, engineUrl }: { lachesis: string; weightsPath: string; engineUrl: string },
): Promise<void> {
  const download = async (name: string, change: Record<string, string>): Promise<Downloaded> => {
    const to = join(folder, name);
    const ended = run(lachesis, ['weights', 'download', weightsPath, '--to', to], {
      cwd: folder,
      env: { ...env, ...change },
    });
    const problem = await ended.then(
      () => '',
      ({ stdout, stderr }: { stdout: string; stderr: string }) => (stdout + stderr).trim(),
    );
    if (problem !== '') context.log(`${name}: ${problem}`);
    return { problem, files: await readdir(to).catch((): string[] => []) };
  };
  const isRefused = ({ problem, files }: Downloaded): boolean =>
    problem.includes('TINKER_API_KEY') && files.length === 0;
  const own = await download('own', {});
  const [other, none] = [
    await download('other', { TINKER_API_KEY: 'another key' }),
    await download('none', { TINKER_API_KEY: '' }),
  ];
  context.report({
    name: 'weights download tinker://…',
    figure: `${own.problem || own.files.join(', ')}; another key ${isRefused(other) ? 'refused' : 'not refused'}, none ${isRefused(none) ? 'refused' : 'not refused'}`,
    bar: 'an adapter; both refused, with the name of the key',
    ok: own.files.some((name) => name.includes('adapter')) && isRefused(other) && isRefused(none),
  });
  const open = await startKeyedServer({ engineUrl, key: undefined });
  context.defer(() => open.stop());
  const careless = await download('careless', { TINKER_BASE_URL: open.url, TINKER_API_KEY: 'another key' });
  context.report({
    name: 'seeded fault: a server that does not check the key',
    figure: isRefused(careless) ? 'not caught' : 'caught',
    bar: 'caught',
    ok: !isRefused(careless),
  });
}
