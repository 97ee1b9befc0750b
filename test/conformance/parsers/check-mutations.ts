import type { CallCorpus } from '../render/call-corpus/corpus.ts';
import { type Random, createRandom } from '../render/random.ts';
import { mutateReply } from './mutate-reply.ts';
import { type CreateParser, joinRaw, listCalls, readReply } from './read-reply.ts';

export interface MutationOptions {
  readonly corpus: CallCorpus;
  readonly createParser: CreateParser;
  readonly count: number;
  readonly seed: number;
}

export interface MutationResult {
  readonly replies: number;
  readonly slowestMs: number;
  readonly failures: readonly string[];
}

/** Reads damaged replies whole and in pieces: it never throws, drops nothing, and what it calls has a name and an object. */
export function checkMutations({ corpus, createParser, count, seed }: MutationOptions): MutationResult {
  const { format } = corpus;
  const texts = [...corpus.good, ...corpus.broken].map(({ text }) => text);
  const failures: string[] = [];
  let slowestMs = 0;
  for (let index = 0; index < count; index += 1) {
    const random = createRandom(seed * 1_000_003 + index);
    const text = mutateReply({ text: random.pick(texts), other: random.pick(texts), random });
    const startedAt = performance.now();
    const problem = findProblem();
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    if (problem !== undefined)
      failures.push(`${format}, seed ${seed}, case ${index}: ${problem}: ${JSON.stringify(text)}`);

    function findProblem(): string | undefined {
      try {
        const events = readReply({ createParser, format, pieces: [text] });
        if (joinRaw(events) !== text) return 'something was dropped';
        for (const call of listCalls(events)) {
          if (call.name === '') return 'a call without a name';
          if (JSON.stringify(JSON.parse(call.argumentsText)) !== JSON.stringify(call.arguments))
            return 'other arguments';
        }
        const cut = readReply({ createParser, format, pieces: cutReply(text, random) });
        return JSON.stringify(cut) === JSON.stringify(events) ? undefined : 'other events in pieces';
      } catch (error) {
        return `threw ${String(error)}`;
      }
    }
  }
  return { replies: count, slowestMs, failures };
}

function cutReply(text: string, random: Random): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const size = 1 + random.integer(7);
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}
