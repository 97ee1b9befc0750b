import { improvePlanSchema, type ModelImprovement } from '@lachesis/protocol';
import { summariseDifferences } from '@lachesis/protocol';
import { describeGain, improveModel, type ImproveStageContents } from '@lachesis/server/processes';
import { showImprovement } from '@lachesis/server/services';
import type { Improvement, Store } from '@lachesis/store';
import { createRaters } from './raters.ts';
import type { LocalStore } from '../../flags/library/open-local-store.ts';
import { openIngestParts } from '../../flags/library/drain-home.ts';
import { createLocalLibrary } from '@lachesis/server/services';
import { EXIT_CODES } from '../../terminal/exit-codes.ts';
import { fail } from '../../terminal/fail.ts';

export type ToldProgress = Parameters<NonNullable<Parameters<typeof improveModel>[0]['onProgress']>>[0];

export interface RunImproveOptions {
  local: LocalStore;
  place: { home: string; databaseUrl: string | undefined };
  improvement: Improvement;
  engineUrl: string | undefined;
  signal: AbortSignal;
  onProgress: (progress: ToldProgress) => void;
  /** A server reads the outboxes. */
  isDrained?: boolean | undefined;
}

/** Joins what the command brings, data sets and raters, with the pipeline of the server, and runs it to its end. */
export async function runImprove(options: RunImproveOptions): Promise<Improvement> {
  const { local, place, improvement, engineUrl, signal, onProgress } = options;
  const { store, blobs, audit } = local;
  const { tenantId } = improvement;
  const plan = improvePlanSchema.parse(improvement.plan);
  const createRatersOn = (on: Store) =>
    createRaters(plan, createLocalLibrary({ parts: openIngestParts({ store: on, blobs }), tenantId, audit }), {
      isServed: improvement.runner !== null,
    });
  const raters = createRatersOn(store);
  const { improvementId } = improvement;
  const ended = await improveModel({
    ...{ store, blobs, ...place, tenantId, improvementId, signal, onProgress },
    ...{ tinker: { baseUrl: engineUrl }, isDrained: options.isDrained },
    // What the stages write goes to the store of the stage, which keeps it only while the improvement is ours.
    rate: raters && (async (filter, stage) => (await createRatersOn(stage.store)?.rate(filter, stage)) ?? 0),
    score: raters?.score,
    summarise: summariseDifferences,
  });
  const { model, outcome } = ended;
  await audit({
    action: 'improve',
    tenantId,
    things: { improvement: improvementId, model, outcome: outcome ?? 'open' },
  });
  return ended;
}

/** One line of progress; nothing for what says nothing. */
export function describeProgress({ stage, state, detail }: ToldProgress): string {
  return `${stage} ${state}${detail === '' ? '' : `: ${detail}`}\n`;
}

/** What `--json` prints. */
export function toReport(improvement: ModelImprovement): Record<string, unknown> {
  const { improvement_id, model, stage, outcome, reason, problem, stages, created_at, ended_at } = improvement;
  return {
    ...{ improvement_id, model, stage, outcome, reason, problem },
    stages: Object.fromEntries(stages.map((each) => [each.stage, each.content])),
    ...{ created_at, ended_at },
  };
}

/** Where it stands, for people. */
export function renderImprovement(improvement: ModelImprovement): string {
  const { improvement_id: id, model, stage, outcome, reason, problem, stages } = improvement;
  const state = outcome === null ? `stands at ${stage}` : `${outcome}: ${reason ?? ''}`;
  const lines = stages.map((each) => `  ${each.stage.padEnd(9)} ${describeStage(each.stage, each.content)}\n`);
  const trouble = problem === null ? '' : `  stopped: ${problem}\n  go on: lachesis improve resume --model ${model}\n`;
  return `${model}: ${state}\n  ${id}\n${lines.join('')}${trouble}${describeExamples(stages)}`;
}

function describeStage(stage: string, content: unknown): string {
  const done = { [stage]: content } as Partial<ImproveStageContents>;
  if (done.collect !== undefined) return `to beat: ${done.collect.from ?? 'the base model'}`;
  if (done.filter !== undefined) return describeSources(done.filter);
  if (done.rate !== undefined) return `${done.rate.ratings} new ratings`;
  if (done.dataset !== undefined) {
    const { dataset, rows, held_out: heldOut, held_out_rows: heldOutRows } = done.dataset;
    return `${dataset ?? 'nothing'}, ${rows} rows; held out ${heldOut ?? 'nothing'}, ${heldOutRows} rows`;
  }
  if (done.train !== undefined) return `${done.train.model}, ${done.train.steps} steps, run ${done.train.run}`;
  if (done.evaluate !== undefined) {
    const { current_mean: before, candidate_mean: after } = done.evaluate;
    return `${before.toFixed(3)} to ${after.toFixed(3)}, ${describeGain(done.evaluate)}`;
  }
  return done.promote === undefined ? '' : done.promote.model;
}

/** Whose they are: where more than one model or recorder is among them, how many of each. */
function describeSources({ trajectories, by_source: sources }: ImproveStageContents['filter']): string {
  const some = sources?.map((each) => `${each.trajectories} of ${each.model ?? 'no model'} by ${each.source}`);
  return `${trajectories} trajectories${some === undefined || some.length === 0 ? '' : `: ${some.join(', ')}`}`;
}

/** What the two models reply to held-out prompts, one under the other. */
function describeExamples(stages: ModelImprovement['stages']): string {
  const measured = stages.find(({ stage }) => stage === 'evaluate')?.content;
  const { examples } = (measured ?? {}) as Partial<ImproveStageContents['evaluate']>;
  const oneLine = (text: string): string => {
    const flat = text.replaceAll(/\s+/g, ' ').trim();
    return flat.length > LONGEST_SHOWN ? `${flat.slice(0, LONGEST_SHOWN)}…` : flat;
  };
  return (examples ?? [])
    .map(({ prompt, before, after }) => {
      const lines = [`  ${oneLine(prompt)}`, `    before  ${oneLine(before)}`, `    after   ${oneLine(after)}`];
      return `${lines.join('\n')}\n`;
    })
    .join('');
}

/** A line of a terminal. */
const LONGEST_SHOWN = 68;

/** Runs it to its end and says what came out. A gate that is shut ends with 1, as does a failure. */
export async function finishImprovement(
  options: Omit<RunImproveOptions, 'onProgress'> & {
    isJson: boolean;
    /** A failure is told and does not end the command: the next look goes on with it. */
    isWatching?: boolean;
  },
): Promise<void> {
  const { isJson, improvement, signal } = options;
  const out = isJson ? process.stderr : process.stdout;
  const ended = await runImprove({
    ...options,
    onProgress: (progress) => void out.write(describeProgress(progress)),
  }).catch((error: unknown) => {
    const goOn = `Go on with \`lachesis improve resume --model ${improvement.model}\`.`;
    const sentence = error instanceof Error ? error.message : String(error);
    if (!signal.aborted && options.isWatching !== true) return fail(`${sentence} ${goOn}`);
    process.stderr.write(`lachesis: ${signal.aborted ? 'stopped' : sentence}. ${goOn}\n`);
    if (signal.aborted) process.exitCode = EXIT_CODES.interrupted;
    return undefined;
  });
  if (ended === undefined) return;
  const { store } = options.local;
  writeEnd(await showImprovement({ store, tenantId: ended.tenantId, ref: ended.improvementId }), options);
}

/** How an improvement ends well: with a better model, or with nothing to do. */
const GOOD_ENDS: readonly (string | null)[] = ['promoted', 'nothing-new'];

/** What came out, in the words or in the JSON that were asked for; where a gate was shut the command ends with 1. */
export function writeEnd(ended: ModelImprovement, options: { isJson: boolean; isWatching?: boolean }): void {
  process.stdout.write(options.isJson ? `${JSON.stringify(toReport(ended))}\n` : renderImprovement(ended));
  if (!GOOD_ENDS.includes(ended.outcome) && options.isWatching !== true) process.exitCode = EXIT_CODES.failed;
}
