import { cp } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { findDataset, listFeedback, openHome, readDatasetRows } from '@lachesis/store';

import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { readOptimizerSteps } from '../grpo-tiny/read-step-rows.ts';
import { askServed, waitUntilServed } from './ask-served.ts';
import { findDifferences } from './compare-reports.ts';
import { improveHome, writeBegin, type ImproveReport } from './improve-home.ts';
import { improveServed, type ServedImprovement } from './improve-served.ts';
import { countCrossed, improveFromAll, recordOtherApp, sumOf, type Crossed } from './other-app.ts';
import { prepareHome } from './prepare-home.ts';
import { idsOf, readLineage } from './read-lineage.ts';
import { runLachesis } from './run-lachesis.ts';
import { serveControl, serveInference } from './serve-home.ts';
import { trainAnew } from './train-anew.ts';
import { measureServed, rateReplies, useApp } from './use-app.ts';

const TRAINING = {
  ...{ lora_rank: 8, batch_size: 16, epochs: 6, learning_rate: 1e-3, lr_schedule: 'constant' },
  // Without it so small a model learns to rank and writes neither answer.
  ...{ chosen_nll_weight: 1, use_tensorboard: false, save_every: 4 },
};
/** Every boundary between two stages, and a moment within the training. */
const KILLS = [
  ...['collect done', 'filter done', 'rate done', 'dataset done', 'train working: step 5 of'],
  ...['train done', 'evaluate done'],
];
const TIMES = 4;
/** What the served model has to get better by on prompts it never saw. */
const GAIN = 0.25;
/** The server looks every half second; a busy machine gets more to load the weights. */
const SERVED_WITHIN_MS = 30_000;

/** `pnpm e2e improve`: from a fresh home to a model that answers as people like it, unattended and through every kill. */
export const scenarios: Scenario[] = [
  {
    name: 'feedback',
    title: 'an app is used, a user rates, `lachesis improve` runs; the served model is better, also after every kill',
    async run(context) {
      const runDirectory = await context.scratch();
      const engine = await startEnginePeer({ runDirectory, onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      const engineUrl = engine.url;
      const [first, copies] = [await context.scratch(), await context.scratch()];
      const copyHome = async (name: string): Promise<string> => {
        const home = path.join(copies, name);
        await cp(first, home, { recursive: true });
        return home;
      };
      const countSteps = (): number =>
        [...readOptimizerSteps(runDirectory).values()].reduce((sum, steps) => sum + steps.length, 0);

      context.log('a first model, an app that calls it, a user who rates');
      await prepareHome({ home: first, engineUrl });
      await recordAndRate({ home: first, engineUrl, log: context.log });

      context.log('improving without a kill');
      const plain = await copyHome('straight');
      const stepsBefore = countSteps();
      const straight = await improveHome({ home: plain, engineUrl, training: TRAINING, log: context.log });
      const stepsStraight = countSteps() - stepsBefore;

      reportCrossed(context, await countCrossed({ home: plain, engineUrl, model: straight.report.stages.train.model }));
      await reportNothingNew(context, { home: plain, engineUrl });

      context.log('improving with a kill at every boundary, while the model is served');
      const home = await copyHome('killed');
      const place = { home, engineUrl };
      await using served = await serveInference(place);
      const url = served.inferenceUrl;
      const prompts = await readHeldOut(plain, straight.report.stages.dataset.held_out);
      await waitUntilServed({ url, timeoutMs: SERVED_WITHIN_MS });
      const before = await measureServed({ url, prompts, times: TIMES });
      const killed = await improveHome({ ...place, training: TRAINING, kills: KILLS, log: context.log });
      const stepsKilled = countSteps() - stepsBefore - stepsStraight;
      const { stages, outcome, reason } = killed.report;
      context.report({
        name: 'unattended',
        figure: `${outcome}: ${reason}; ${stages.rate.ratings} ratings, ${stages.dataset.rows} pairs, held-out accuracy ${stages.evaluate.current_mean.toFixed(2)} to ${stages.evaluate.candidate_mean.toFixed(2)}`,
        bar: 'promoted',
        ok: outcome === 'promoted',
      });
      const { examples } = stages.evaluate;
      context.report({
        name: 'replies before and after',
        figure: `${examples.length}, the first to "${examples[0]?.prompt ?? ''}": "${examples[0]?.before ?? ''}", then "${examples[0]?.after ?? ''}"`,
        bar: '3',
        ok: examples.length === 3,
      });
      const differences = findDifferences(straight.report, killed.report);
      context.report({
        name: 'kill -9',
        figure: `${killed.kills} kills, ${differences.length === 0 ? 'the same result' : `another ${differences.join(', ')}`}`,
        bar: 'all 7, the same result',
        ok: killed.kills === KILLS.length && differences.length === 0,
      });
      context.report({
        name: 'nothing trained twice',
        figure: `${stepsKilled} optimiser steps at the engine, ${stepsStraight} without a kill, ${stages.train.steps} in the registry`,
        bar: 'the same',
        ok: stepsKilled === stepsStraight && stepsKilled === stages.train.steps,
      });

      const candidate = stages.train.model_version_id;
      const waitedMs = await waitUntilServed({ url, modelVersionId: candidate, timeoutMs: SERVED_WITHIN_MS });
      const after = await measureServed({ url, prompts, times: TIMES });
      context.report({
        name: 'served behaviour',
        figure: `liked ${before.toFixed(2)} to ${after.toFixed(2)} of ${prompts.length * TIMES} answers on held-out prompts; served ${(waitedMs / 1000).toFixed(1)} s after the end`,
        bar: `+${GAIN}`,
        ok: after - before >= GAIN,
      });

      const key = 'app/afterwards';
      await askServed({ url, prompt: 'Ask red', seed: 3, key });
      const ratings = await listRatings(home);
      await waitUntilRecorded({ ...place, key });
      const backward = idsOf((await readLineage({ ...place, what: `reply:${key}` })).back, 'feedback');
      const forward = idsOf(
        (await readLineage({ ...place, what: `feedback:${backward[0] ?? 'none'}` })).forward,
        'model',
      );
      const known = backward.filter((id) => ratings.includes(id)).length;
      context.report({
        name: 'lineage',
        figure: `a served reply leads to ${known} ratings of ${ratings.length}; such a rating leads to ${forward.includes(candidate) ? 'the model that wrote it' : 'other models'}`,
        bar: 'both ways',
        ok: known > 0 && known === backward.length && forward.includes(candidate),
      });

      context.log('improving on a server that asks for tokens, with a kill of it in the training');
      const stepsUnserved = countSteps();
      const onServer = await improveServed({
        ...{ home: await copyHome('served'), engineUrl, training: TRAINING, log: context.log },
        countSteps: () => countSteps() - stepsUnserved,
      });
      reportServed(context, onServer, { straight: straight.report, stepsStraight });

      context.log('a pipeline that trains anew after a kill, with a training that learns nothing');
      const stepsSoFar = countSteps();
      const anew = await trainAnew({
        ...{ home: await copyHome('anew'), engineUrl },
        training: { ...TRAINING, learning_rate: 1e-9, max_steps: 1 },
      });
      const steps = countSteps() - stepsSoFar;
      context.report({
        name: 'a pipeline that forgets its run',
        figure: `${steps} optimiser steps where ${anew.steps} is wanted: ${steps === anew.steps ? 'not noticed' : 'noticed'}`,
        bar: 'noticed',
        ok: steps !== anew.steps,
      });
      const all = { home: await copyHome('all'), engineUrl };
      await improveFromAll(all);
      const taken = await countCrossed(all);
      context.report({
        name: 'an improvement that looks at all there is',
        figure: `${taken.rows} rows of the other application: ${sumOf(taken) === 0 ? 'not noticed' : 'noticed'}`,
        bar: 'noticed',
        ok: sumOf(taken) > 0,
      });
      context.report({
        name: 'a model that is not better',
        figure: `${anew.outcome ?? 'no outcome'}: ${anew.reason ?? ''}`,
        bar: 'not-better',
        ok: anew.outcome === 'not-better',
      });
    },
  },
];

function reportCrossed(context: ScenarioContext, crossed: Crossed): void {
  const { rows, lineage, ratings, heldBack } = crossed;
  context.report({
    name: 'two applications in one home',
    figure: `${rows} rows, ${lineage} in the lineage, ${ratings} ratings crossed; ${heldBack} rows held back from the other's export`,
    bar: 'all 0',
    ok: sumOf(crossed) === 0,
  });
}

/** A whole process, its start included; a busy machine needs most of it for that. */
const NOTHING_NEW_MS = 2_000;

async function reportNothingNew(context: ScenarioContext, place: { home: string; engineUrl: string }): Promise<void> {
  const begin = await writeBegin({ home: place.home, training: TRAINING });
  const { stdout, code, runMs } = await runLachesis({ ...place, args: [...begin, '--json'], codes: [0, 1] });
  const { outcome, reason, created_at: from, ended_at: until } = JSON.parse(stdout) as EndedReport;
  context.report({
    name: 'improve again, with nothing new',
    figure: `${outcome}: ${reason}; exit code ${code}, ${((until - from) / 1000).toFixed(1)} s, ${(runMs / 1000).toFixed(1)} s with the start of the process`,
    bar: `nothing new since talker@2, exit code 0, ≤ ${NOTHING_NEW_MS / 1000} s`,
    ok:
      outcome === 'nothing-new' &&
      reason.startsWith('nothing new since talker@2') &&
      code === 0 &&
      until - from <= NOTHING_NEW_MS,
  });
}

interface EndedReport {
  readonly outcome: string;
  readonly reason: string;
  readonly created_at: number;
  readonly ended_at: number;
}

function reportServed(
  context: ScenarioContext,
  served: ServedImprovement,
  { straight, stepsStraight }: { straight: ImproveReport; stepsStraight: number },
): void {
  const { refused, killed, steps, report, shown, stopped, left } = served;
  context.report({
    name: 'an improvement without a token, and with one that may look',
    figure: refused.join(', '),
    bar: '401, 403',
    ok: refused.join() === '401,403',
  });
  const differences = findDifferences(straight, report);
  // What lies behind the last state that was kept is done again.
  const most = stepsStraight + TRAINING.save_every;
  const isShown = isDeepStrictEqual(shown, report);
  context.report({
    name: 'kill -9 of a server that improves',
    figure: `${killed} process went with it; ${report.outcome}, ${differences.length === 0 ? 'the same result' : `another ${differences.join(', ')}`}, ${steps} optimiser steps, ${isShown ? 'shown as it was told' : 'shown otherwise'}`,
    bar: `1 process, the same result, ≤ ${most} steps, shown as it was told`,
    ok: killed === 1 && differences.length === 0 && steps <= most && isShown,
  });
  context.report({
    name: 'improve stop on a server',
    figure: `${stopped.join(' to who asked, ')} to who followed; ${left} processes left`,
    bar: 'stopped, to both; 0',
    ok: stopped.join() === 'stopped,stopped' && left === 0,
  });
}

async function recordAndRate(options: { home: string; engineUrl: string; log: (text: string) => void }): Promise<void> {
  const { home, engineUrl, log } = options;
  let calls: number;
  {
    await using served = await serveInference({ home, engineUrl });
    // Until the promoted weights are loaded the base model answers.
    await waitUntilServed({ url: served.inferenceUrl, timeoutMs: SERVED_WITHIN_MS });
    calls = await useApp({ url: served.inferenceUrl });
  }
  await using control = await serveControl(home);
  const { ratings, up } = await rateReplies({ url: control.url, calls });
  const others = await recordOtherApp({ url: control.url });
  log(`${calls} calls, ${ratings} ratings, ${up} of them thumbs up; ${others} conversations of another application`);
}

async function readHeldOut(home: string, ref: string): Promise<string[]> {
  await using library = await openLibrary(home);
  const { store, blobs } = library;
  const dataset = await findDataset({ store, tenantId: 'local', ref });
  if (dataset === undefined) throw new Error(`there is no ${ref}`);
  const prompts: string[] = [];
  for await (const row of readDatasetRows({ store, blobs, tenantId: 'local', datasetId: dataset.dataset_id })) {
    const asked = row.kind === 'preference' ? row.prompt.at(-1)?.content : undefined;
    if (typeof asked === 'string') prompts.push(asked);
  }
  return prompts;
}

async function listRatings(home: string): Promise<string[]> {
  await using library = await openLibrary(home);
  return (await listFeedback({ store: library.store, tenantId: 'local' })).map(({ feedback_id: id }) => id);
}

/** The gateway brings its records into the store beside the calls. */
async function waitUntilRecorded(options: { home: string; engineUrl: string; key: string }): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (performance.now() < deadline) {
    if ((await readLineage({ ...options, what: `reply:${options.key}` })).back.length > 0) return;
  }
}

async function openLibrary(home: string) {
  return await openHome({ home });
}
