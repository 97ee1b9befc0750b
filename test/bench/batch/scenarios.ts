import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runOurBatch } from '../../conformance/hermes-batch/batch/run-our-batch.ts';
import { findHermesPython } from '../../peers/hermes/run-hermes.ts';
import { runHermesBatch } from '../../peers/hermes/run-hermes-batch.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { startSlowModel, type SlowModel } from './runs/start-slow-model.ts';
import { watchProcesses, type ProcessCosts } from './runs/watch-processes.ts';

const WORKERS = 4;
const BATCH_SIZE = 4;
const TIMEOUT_MS = 45 * 60_000;

interface Contest {
  /** How long the model thinks about a reply. */
  readonly thinkMs: number;
  readonly ours: number;
  readonly theirs: number;
}

/** As quick as a model behind an API is; then as long as a reply with thinking takes, and a model that takes no time worth naming. */
const USUAL: Contest = { thinkMs: 1_000, ours: 120, theirs: 60 };
const REMARKS: readonly Contest[] = [
  { thinkMs: 50, ours: 2_000, theirs: 2_000 },
  { thinkMs: 10_000, ours: 40, theirs: 40 },
];

const MIN_SPEED = 1.1;
const MIN_CPU = 3;
const MIN_MEMORY = 3;

interface Measured extends ProcessCosts {
  prompts: number;
  perSecond: number;
  calls: number;
}

/** `pnpm bench batch`: our batch runner beside that of Hermes, with the same model and as many workers. */
export const scenarios: Scenario[] = [
  {
    name: 'hermes',
    title: `prompts a second, processor time and memory beside the batch runner of hermes-agent 0.19.0, a model that thinks for ${USUAL.thinkMs} ms`,
    async run(context) {
      const { ours, theirs } = await compare(context, USUAL);
      const speed = ours.perSecond / theirs.perSecond;
      const cpu = theirs.cpuSeconds / theirs.prompts / (ours.cpuSeconds / ours.prompts);
      context.report({
        name: 'prompts/s',
        figure: describeSpeed(USUAL, ours, theirs),
        bar: `≥ ${MIN_SPEED}×`,
        ok: speed >= MIN_SPEED,
      });
      context.report({
        name: 'processor time of a prompt, all processes',
        figure: `1/${cpu.toFixed(1)} (${toMilliseconds(ours)} against ${toMilliseconds(theirs)} CPU-ms, their start not counted)`,
        bar: `≤ 1/${MIN_CPU}`,
        ok: ours.cpuSeconds > 0 && cpu >= MIN_CPU,
      });
      context.report({
        name: 'memory, all processes',
        figure: `1/${(theirs.rssBytes / ours.rssBytes).toFixed(1)} (${toMb(ours.rssBytes)} against ${toMb(theirs.rssBytes)} MB resident; shared pages counted once ${toMb(ours.pssBytes)} against ${toMb(theirs.pssBytes)} MB)`,
        bar: `≤ 1/${MIN_MEMORY} resident`,
        ok: ours.rssBytes > 0 && ours.rssBytes * MIN_MEMORY <= theirs.rssBytes,
      });
      if (!context.full) return;
      // How much of it is seen depends on the model alone, so these have no bar.
      for (const contest of REMARKS) {
        const { ours, theirs } = await compare(context, contest);
        context.report({
          name: `prompts/s, a model that thinks for ${contest.thinkMs} ms`,
          figure: describeSpeed(contest, ours, theirs),
          bar: 'none, for the reader',
          ok: true,
        });
      }
    },
  },
];

async function compare(
  context: ScenarioContext,
  { thinkMs, ...sizes }: Contest,
): Promise<{ ours: Measured; theirs: Measured }> {
  const python = findHermesPython();
  if (python === undefined) throw new Error('There is no Hermes peer. Run .ci/setup, then . .ci/env.sh');
  await using model = await startSlowModel({ thinkMs });
  const measureOurs = async (): Promise<Measured> => {
    const ours = await measure(context, model, sizes.ours / 2, async ({ folder, datasetFile, onStart }) => {
      const { code, output } = await runOurBatch({
        ...{ cwd: folder, home: join(folder, 'home'), baseUrl: model.baseUrl, datasetFile, onStart },
        ...{ runName: 'run', batchSize: BATCH_SIZE, numWorkers: WORKERS, timeoutMs: TIMEOUT_MS, isBuilt: true },
      });
      if (code !== 0) throw new Error(`ours ended with ${code}:\n${output}`);
    });
    context.log(describe('ours', ours));
    return ours;
  };
  // One half before theirs and one behind: a machine that changes its pace meanwhile changes it for both.
  const before = await measureOurs();
  const theirs = await measure(context, model, sizes.theirs, async ({ folder, datasetFile, onStart }) => {
    await runHermesBatch({
      ...{ python, timeoutMs: TIMEOUT_MS, onStart },
      job: {
        ...{ home: join(folder, 'home'), cwd: folder, base_url: model.baseUrl, dataset_file: datasetFile },
        ...{ run_name: 'run', batch_size: BATCH_SIZE, num_workers: WORKERS, max_turns: 10, resume: false },
      },
    });
  });
  context.log(describe('Hermes', theirs));
  return { ours: combine(before, await measureOurs()), theirs };
}

interface Runner {
  folder: string;
  datasetFile: string;
  onStart: (pid: number) => void;
}

async function measure(
  context: ScenarioContext,
  model: SlowModel,
  prompts: number,
  run: (options: Runner) => Promise<void>,
): Promise<Measured> {
  const folder = await context.scratch();
  const datasetFile = join(folder, 'prompts.jsonl');
  const rows = Array.from({ length: prompts }, (_, at) => `${JSON.stringify({ prompt: `Question ${at}?` })}\n`);
  await writeFile(datasetFile, rows);
  model.reset();
  const costs = watchProcesses(() => model.read().calls > 0);
  await run({ folder, datasetFile, onStart: costs.watch });
  const { calls, seconds } = model.read();
  return { ...costs.stop(), prompts, calls, perSecond: prompts / seconds };
}

/** Both halves as one: all prompts in the time of both, and the larger memory. */
function combine(one: Measured, other: Measured): Measured {
  const prompts = one.prompts + other.prompts;
  return {
    ...{ prompts, calls: one.calls + other.calls },
    perSecond: prompts / (one.prompts / one.perSecond + other.prompts / other.perSecond),
    rssBytes: Math.max(one.rssBytes, other.rssBytes),
    pssBytes: Math.max(one.pssBytes, other.pssBytes),
    cpuSeconds: one.cpuSeconds + other.cpuSeconds,
  };
}

const toMb = (bytes: number): string => (bytes / 1e6).toFixed(0);

const toMilliseconds = ({ cpuSeconds, prompts }: Measured): string => ((cpuSeconds / prompts) * 1000).toFixed(0);

const describeSpeed = ({ thinkMs }: Contest, ours: Measured, theirs: Measured): string =>
  `${(ours.perSecond / theirs.perSecond).toFixed(2)}× (${ours.perSecond.toFixed(1)} against ${theirs.perSecond.toFixed(1)}; ${WORKERS} workers, the model alone allows ${((WORKERS * 1000) / thinkMs).toFixed(1)})`;

const describe = (name: string, { prompts, calls, perSecond, rssBytes, cpuSeconds }: Measured): string =>
  `${name}: ${prompts} prompts, ${calls} calls, ${perSecond.toFixed(1)} prompts/s, ${cpuSeconds.toFixed(1)} CPU-s, ${toMb(rssBytes)} MB`;
