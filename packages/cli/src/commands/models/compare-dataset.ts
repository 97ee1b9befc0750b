import { mean, type ChatMessage } from '@lachesis/protocol';
import { summariseDifferences } from '@lachesis/protocol';
import { loadReward } from '@lachesis/sdk/environment';
import type { ScoreReply } from '@lachesis/server/processes';
import { readNumber } from '../../flags/read-value.ts';
import type { CompareArguments, CompareJob, Comparison } from './compare-job.ts';

/** Both models on the rows of a data set: by what a reward says of their replies, or by how likely they find what is there. */
export async function measureOnDataset(job: CompareJob): Promise<Comparison> {
  const { args, library, signal, log } = job;
  const score = args.reward === undefined ? undefined : await openScore(args.reward, signal);
  const { 'engine-url': engineUrl, tokenizer } = args;
  const lines = library.compareModels(toComparison(job), { 'engine-url': engineUrl, tokenizer, signal });
  const measured: { left: number; right: number }[] = [];
  const replies = createReplyScores(score);
  let dataset = '';
  for await (const line of lines) {
    if ('comparing' in line) ({ dataset } = line.comparing);
    else if ('said' in line) log(line.said);
    else if ('measured' in line) measured.push(line.measured);
    else replies.add(line.reply);
  }
  measured.push(...(await replies.list()));
  return {
    on: `data set ${dataset}`,
    measure:
      args.reward === undefined
        ? 'pairs: how often the preferred reply is the likelier one; conversations: mean log probability of the reply'
        : `what ${args.reward} says of replies`,
    ...summariseDifferences(measured.map(({ left, right }) => right - left)),
    leftMean: meanOfAny(measured.map(({ left }) => left)),
    rightMean: meanOfAny(measured.map(({ right }) => right)),
  };
}

/** Of no rows there is no mean, which is not 0. */
const meanOfAny = (values: readonly number[]): number => (values.length === 0 ? Number.NaN : mean(values));

/** A base model is named by the model that it is the base of. */
function toComparison({ args, left, right }: CompareJob): Parameters<CompareJob['library']['compareModels']>[0] {
  const number = (name: keyof CompareArguments, as: string = name): Record<string, number> => {
    const text = args[name];
    return typeof text === 'string' ? { [as]: readNumber(name, text) } : {};
  };
  return {
    ...{ left: left.model_version_id || 'base', right: right.model_version_id || 'base', dataset: args.dataset ?? '' },
    ...(args.split === undefined ? {} : { split: args.split }),
    ...(args.reward === undefined ? {} : { by: 'replies' as const }),
    ...{ ...number('limit'), ...number('replies'), ...number('temperature'), ...number('seed') },
    ...number('max-tokens', 'max_tokens'),
  };
}

/** Scores of replies as they come; a row that one model has no number for compares nothing. */
function createReplyScores(score: ScoreReply | undefined) {
  const rows = new Map<number, Record<'left' | 'right', (number | undefined)[]>>();
  const pending: Promise<void>[] = [];
  return {
    add({ row, model, messages, reply }: { row: number; model: 'left' | 'right' } & Parameters<ScoreReply>[0]): void {
      const scores = rows.get(row) ?? { left: [], right: [] };
      rows.set(row, scores);
      const place = scores[model].push(undefined) - 1;
      const scored = (async () => {
        scores[model][place] = await score?.({ messages, reply });
      })();
      // Awaited at the end; until then a failure is not nobody's.
      scored.catch(() => undefined);
      pending.push(scored);
    },
    async list(): Promise<{ left: number; right: number }[]> {
      await Promise.all(pending);
      return [...rows]
        .toSorted(([one], [other]) => one - other)
        .flatMap(([, scores]) => {
          const [left, right] = [scores.left, scores.right].map((all) => all.filter((value) => value !== undefined));
          if (left === undefined || right === undefined || left.length === 0 || right.length === 0) return [];
          return [{ left: mean(left), right: mean(right) }];
        });
    },
  };
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
