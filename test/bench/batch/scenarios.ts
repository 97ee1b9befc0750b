import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runOurBatch } from '../../conformance/hermes-batch/batch/run-our-batch.ts';
import { findHermesPython } from '../../peers/hermes/run-hermes.ts';
import { runHermesBatch } from '../../peers/hermes/run-hermes-batch.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { startSlowModel, type SlowModel } from './runs/start-slow-model.ts';
import { watchMemory, type MemoryPeak } from './runs/watch-memory.ts';

const PROMPTS = 2_000;
/** A rate does not depend on how many there are, once they are enough that the last stragglers do not count. */
const SHORT = { theirs: 200, ours: 800 };
const THINK_MS = 50;
const WORKERS = 4;
const BATCH_SIZE = 4;
const TIMEOUT_MS = 45 * 60_000;

interface Measured extends MemoryPeak {
  prompts: number;
  perSecond: number;
  calls: number;
}

/** `pnpm bench batch`: our batch runner beside that of Hermes, with the same model and as many workers. */
export const scenarios: Scenario[] = [
  {
    name: 'hermes',
    title: `prompts a second and memory beside the batch runner of hermes-agent 0.19.0, a model that thinks for ${THINK_MS} ms`,
    async run(context) {
      const python = findHermesPython();
      if (python === undefined) throw new Error('There is no Hermes peer. Run .ci/setup, then . .ci/env.sh');
      await using model = await startSlowModel({ thinkMs: THINK_MS });
      const sizes = context.full ? { theirs: PROMPTS, ours: PROMPTS } : SHORT;
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
      const ours = combine(before, await measureOurs());
      const ratio = ours.perSecond / theirs.perSecond;
      context.report({
        name: 'prompts/s',
        figure: `${ratio.toFixed(1)}× (${ours.perSecond.toFixed(1)} against ${theirs.perSecond.toFixed(1)}; ${WORKERS} workers, the model alone allows ${((WORKERS * 1000) / THINK_MS).toFixed(0)})`,
        bar: '≥ 3×',
        ok: ratio >= 3,
      });
      context.report({
        name: 'memory, all processes',
        figure: `1/${(theirs.rssBytes / ours.rssBytes).toFixed(1)} (${toMb(ours.rssBytes)} against ${toMb(theirs.rssBytes)} MB resident; shared pages counted once ${toMb(ours.pssBytes)} against ${toMb(theirs.pssBytes)} MB)`,
        bar: '≤ 1/3 resident',
        ok: ours.rssBytes > 0 && ours.rssBytes * 3 <= theirs.rssBytes,
      });
    },
  },
];

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
  const memory = watchMemory();
  await run({ folder, datasetFile, onStart: memory.watch });
  const { calls, seconds } = model.read();
  return { ...memory.stop(), prompts, calls, perSecond: prompts / seconds };
}

/** Both halves as one: all prompts in the time of both, and the larger memory. */
function combine(one: Measured, other: Measured): Measured {
  const prompts = one.prompts + other.prompts;
  return {
    ...{ prompts, calls: one.calls + other.calls },
    perSecond: prompts / (one.prompts / one.perSecond + other.prompts / other.perSecond),
    rssBytes: Math.max(one.rssBytes, other.rssBytes),
    pssBytes: Math.max(one.pssBytes, other.pssBytes),
  };
}

const toMb = (bytes: number): string => (bytes / 1e6).toFixed(0);

const describe = (name: string, { prompts, calls, perSecond, rssBytes }: Measured): string =>
  `${name}: ${prompts} prompts, ${calls} calls, ${perSecond.toFixed(1)} prompts/s, ${toMb(rssBytes)} MB`;
