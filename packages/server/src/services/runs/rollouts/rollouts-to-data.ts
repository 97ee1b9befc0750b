import { pairEnds, pickBest, type RolledOutGroup } from '@lachesis/data';
import {
  chatMessageSchema,
  LachesisError,
  type DataRecord,
  type DatasetMade,
  type RecordTokens,
  type RolloutGroup,
} from '@lachesis/protocol';
import type { ControlClient, LibraryClient } from '@lachesis/sdk';
import { z } from 'zod';

export interface RolloutsToDataOptions {
  readonly client: Pick<ControlClient, 'listSteps' | 'readGroup' | 'readStep'>;
  readonly library: Pick<LibraryClient, 'importDataset'>;
  /** Id of the run. */
  readonly run: string;
  /** What the data set is called. */
  readonly name: string;
  /** `best`: the best attempt of each group, to imitate. `pairs`: the best and the worst, to prefer one over the other. */
  readonly make: 'best' | 'pairs';
  /** What the best attempt has to earn; more than nothing when absent. */
  readonly minScore?: number | undefined;
  /** How far the ends of a pair have to be apart; any difference when absent. */
  readonly minDifference?: number | undefined;
  readonly signal: AbortSignal;
}

export interface RolloutData {
  /** What was made; undefined when no group gives a row. */
  readonly made: DatasetMade | undefined;
  readonly groups: number;
  /** Groups that give no row, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/** Makes a data set of what a run has rolled out. Each row says from which run, step, group and rollout it is. */
export async function rolloutsToData(options: RolloutsToDataOptions): Promise<RolloutData> {
  const { library, name, run, make } = options;
  const count = { groups: 0, leftOut: {} as Record<string, number> };
  const rows = listRows(options, count)[Symbol.asyncIterator]();
  const first = await rows.next();
  if (first.done === true) return { made: undefined, ...count };
  const source = `${make} of the rollouts of ${run}`.slice(0, 200);
  const made = await library.importDataset(name, { rows: startWith(first.value, rows), source, run });
  return { made, ...count };
}

async function* startWith(first: DataRecord, rest: AsyncIterator<DataRecord>): AsyncGenerator<DataRecord> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

async function* listRows(
  options: RolloutsToDataOptions,
  count: { groups: number; leftOut: Record<string, number> },
): AsyncGenerator<DataRecord> {
  for await (const group of listGroups(options)) {
    count.groups += 1;
    const row = options.make === 'best' ? pickBest(group, options) : pairEnds(group, options);
    if ('leftOut' in row) count.leftOut[row.leftOut] = (count.leftOut[row.leftOut] ?? 0) + 1;
    else yield row;
  }
}

/** The groups of all steps that are kept, the oldest step first. */
async function* listGroups({ client, run, signal }: RolloutsToDataOptions): AsyncGenerator<RolledOutGroup> {
  for (const step of await listKeptSteps({ client, run, signal })) {
    for (let start: number | null = 0; start !== null;) {
      const page: Awaited<ReturnType<ControlClient['readStep']>> = await client.readStep(
        ...([run, step, { start }, { signal }] as const),
      );
      for (const { group_id: groupId } of page.groups) {
        yield toRolledOutGroup(await client.readGroup(run, groupId, {}, { signal }));
      }
      start = page.next;
    }
  }
}

async function listKeptSteps({
  client,
  run,
  signal,
}: Pick<RolloutsToDataOptions, 'client' | 'run' | 'signal'>): Promise<number[]> {
  const steps: number[] = [];
  for (let before: number | null | undefined; before !== null;) {
    const page: Awaited<ReturnType<ControlClient['listSteps']>> = await client.listSteps(
      ...([run, before === undefined ? {} : { before }, { signal }] as const),
    );
    steps.push(...page.steps.flatMap((step) => (step.is_kept && step.groups > 0 ? [step.step] : [])));
    before = page.next;
  }
  if (steps.length > 0) return steps.toReversed();
  throw new LachesisError({
    code: 'conflict',
    message: `no rollouts of run ${run} are kept`,
    hint: 'A run keeps them from its first step on, for as long as rollout_retention_steps and rollout_retention_gb say.',
  });
}

/** Sequences of one rollout, whose history was rewritten, are one attempt; what has no score is none. */
function toRolledOutGroup(group: RolloutGroup): RolledOutGroup {
  const { run_id: run, step, policy_version: policy, environment, item } = group;
  const rollouts = [...Map.groupBy(group.sequences, ({ rollout }) => rollout).values()];
  return {
    id: group.group_id,
    origin: { run, step, policy_version: policy, environment, item },
    rollouts: rollouts.flatMap((sequences) => {
      const last = sequences.at(-1);
      if (last === undefined || last.score === null) return [];
      const messages = z.array(chatMessageSchema).safeParse(last.messages ?? []);
      return [
        {
          ...{ id: last.rollout_id, score: last.score, messages: messages.data ?? [] },
          tokens: sequences.length === 1 ? readTokens(last) : null,
        },
      ];
    }),
  };
}

function readTokens({ tokens, mask, logprobs }: RolloutGroup['sequences'][number]): RecordTokens | null {
  if (tokens === undefined || mask === undefined || tokens.length !== mask.length) return null;
  const trained = mask.map((each): 0 | 1 => (each === 1 ? 1 : 0));
  return {
    token_ids: tokens.map((token) => token ?? 0),
    mask: trained,
    logprobs: logprobs?.map((value, place) => (trained[place] === 1 ? (value ?? 0) : 0)) ?? null,
  };
}
