import type { DataRecord, ChatMessage } from '@lachesis/protocol';
import { loadReward, summariseDifferences } from '@lachesis/sdk/environment';
import { improvePlanSchema, measureModels, type ScoreReply } from '@lachesis/server/processes';
import { findDataset, readDatasetRows } from '@lachesis/store';
import { fail } from '../../terminal/fail.ts';
import { readNumber } from '../../flags/read-value.ts';
import type { CompareJob, Comparison } from './compare-job.ts';
import { nameOf } from '../../flags/library/require-model.ts';

/** Both models on the rows of a data set: by what a reward says of their replies, or by how likely they find what is there. */
export async function measureOnDataset(job: CompareJob): Promise<Comparison> {
  const { args, left, right, signal, log } = job;
  const { dataset, rows } = await readRows(job);
  const plan = improvePlanSchema.parse({
    model: right.name,
    ...(args.replies === undefined ? {} : { replies: readNumber('replies', args.replies) }),
    ...(args.temperature === undefined ? {} : { temperature: readNumber('temperature', args.temperature) }),
    ...(args['max-tokens'] === undefined ? {} : { max_reply_tokens: readNumber('max-tokens', args['max-tokens']) }),
    ...(args.seed === undefined ? {} : { seed: readNumber('seed', args.seed) }),
    ...(args.tokenizer === undefined ? {} : { training: { tokenizer: args.tokenizer } }),
  });
  const measured = await measureModels({
    tinker: { baseUrl: job.engineUrl },
    ...{ rows, current: left, candidate: right, plan, signal, say: log },
    score: args.reward === undefined ? undefined : await openScore(args.reward, signal),
  });
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    on: `data set ${dataset}`,
    measure:
      args.reward === undefined
        ? 'pairs: how often the preferred reply is the likelier one; conversations: mean log probability of the reply'
        : `what ${args.reward} says of replies`,
    ...summariseDifferences(measured.map(({ current, candidate }) => candidate - current)),
    leftMean: mean(measured.map(({ current }) => current)),
    rightMean: mean(measured.map(({ candidate }) => candidate)),
  };
}

async function readRows({ args, library }: CompareJob): Promise<{ dataset: string; rows: DataRecord[] }> {
  const ref = args.dataset ?? '';
  const dataset = await findDataset({ ...library, ref });
  if (dataset === undefined) return fail(`there is no data set ${ref}. \`lachesis data sets list\` shows them.`);
  const limit = args.limit === undefined ? Infinity : readNumber('limit', args.limit);
  const split = args.split === undefined ? {} : { split: args.split };
  const rows: DataRecord[] = [];
  for await (const row of readDatasetRows({ ...library, datasetId: dataset.dataset_id, ...split })) {
    if (rows.length >= limit) break;
    rows.push(row);
  }
  if (rows.length === 0) fail(`${nameOf(dataset)} has no such rows: ${JSON.stringify(dataset.splits)}.`);
  return { dataset: nameOf(dataset), rows };
}

/** What fails to score has no number, which is not 0. */
async function openScore(from: string, signal: AbortSignal): Promise<ScoreReply> {
  const reward = await loadReward({ from });
  return async ({ messages, reply }) => {
    const asked = [...messages, reply].map((message) => toChat(message));
    const outcome = await reward({ answer: textOf(reply), messages: asked, signal });
    return outcome.kind === 'scored' ? outcome.reward : undefined;
  };
}

const textOf = ({ content }: ChatMessage): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((part) => ('text' in part && typeof part.text === 'string' ? part.text : '')).join('');

const toChat = (message: ChatMessage): ChatMessage => ({ ...message, content: textOf(message) });
