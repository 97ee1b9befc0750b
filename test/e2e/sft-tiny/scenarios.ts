import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';

import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { compareLosses } from './compare-losses.ts';
import type { Order } from './order.ts';
import { lossesOf, runSft } from './run-sft.ts';

const STEPS = 30;
const FALLEN_TO = 0.05;
/** Early: there the losses are large and the optimiser's moments matter. */
const SAVE_AFTER = 6;
/** Two steps that are lost, and the gradient of a third. */
const KILLED_AT = 8;
const COMPARED = 5;
const TOLERANCE = 1e-4;

/** `pnpm e2e sft-tiny`: supervised training on the real engine, and its continuation after kill -9. */
export const scenarios: Scenario[] = [
  {
    name: 'resume',
    title: 'the tiny model learns a small corpus; a client killed with -9 and started again goes on as if never killed',
    async run(context) {
      const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      const scratch = await context.scratch();
      const makeFolder = async (name: string): Promise<string> => {
        const folder = path.join(scratch, name);
        await mkdir(folder);
        return folder;
      };
      const shared = { url: engine.url, model: engine.modelDirectory, restores: 'weights and optimiser' } as const;

      const straight = lossesOf(await runSft({ ...shared, folder: await makeFolder('straight'), steps: STEPS }));
      const [first, last] = [straight.get(0) ?? Number.NaN, straight.get(STEPS - 1) ?? Number.NaN];
      context.report({
        name: 'loss',
        figure: `${first.toFixed(2)} at first, ${last.toFixed(4)} after ${STEPS} steps (${((100 * last) / first).toFixed(2)} %)`,
        bar: `below ${100 * FALLEN_TO} %`,
        ok: last < FALLEN_TO * first,
      });

      const killed: Order = { ...shared, folder: await makeFolder('killed'), steps: STEPS };
      await runSft({ ...killed, saveAfter: SAVE_AFTER, holdBefore: KILLED_AT });
      const forgetful = await makeFolder('forgetful');
      await cp(path.join(killed.folder, 'checkpoint.json'), path.join(forgetful, 'checkpoint.json'));

      const steps = SAVE_AFTER + COMPARED;
      const compare = { straight, from: SAVE_AFTER, count: COMPARED };
      const life = await runSft({ ...killed, steps });
      const resumed = compareLosses({ ...compare, resumed: lossesOf(life) });
      const isFromCheckpoint = life.some(
        (report) => report.kind === 'resumed' && report.fromStep === SAVE_AFTER && report.releasedModels === 1,
      );
      context.report({
        name: 'losses after kill -9',
        figure: `${resumed.largest.toExponential(1)} apart at most over ${resumed.compared} steps (${resumed.range})`,
        bar: `${COMPARED} steps, ≤ ${TOLERANCE}`,
        ok: isFromCheckpoint && resumed.compared === COMPARED && resumed.largest <= TOLERANCE,
      });

      const mutant = await runSft({ ...killed, folder: forgetful, steps, restores: 'weights' });
      const seen = compareLosses({ ...compare, resumed: lossesOf(mutant) });
      context.report({
        name: 'mutant without optimiser',
        figure: `${seen.largest.toExponential(1)} apart over ${seen.compared} steps`,
        bar: `${COMPARED} steps, > ${TOLERANCE}`,
        ok: seen.compared === COMPARED && seen.largest > TOLERANCE,
      });
    },
  },
];
