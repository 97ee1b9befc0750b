import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import type { CallCorpus, CorpusCase } from '../render/call-corpus/corpus.ts';

/** The calls that vLLM made of a reply, or the error with which it gave up. */
export type VllmAnswer = readonly (readonly [name: string, argumentsText: string])[] | string;

export interface VllmAnswers {
  /** The commit whose parsers were asked. */
  readonly commit: string;
  /** By format, and by the digest of the reply. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, VllmAnswer>>>>;
}

export const answersFile = fileURLToPath(new URL('data/vllm-answers.json', import.meta.url));

export async function readVllmAnswers(): Promise<VllmAnswers> {
  return JSON.parse(await readFile(answersFile, 'utf8')) as VllmAnswers;
}

export const digestReply = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

export interface AskedCase {
  readonly text: string;
  /** The tools whose schemas fit the calls that are expected; without them plain values would be a matter of taste. */
  readonly tools: readonly Readonly<Record<string, unknown>>[];
}

export const listAsked = ({ good, broken }: CallCorpus): readonly AskedCase[] => [...good, ...broken].map(toAsked);

export function toAsked({ text, expected }: CorpusCase): AskedCase {
  const tools = expected.flatMap((line) => {
    const match = /^(?<name>[\w-]+)\((?<json>\{.*\})\)(?:#\S+)?$/s.exec(line);
    if (match?.groups === undefined) return [];
    const args = JSON.parse(match.groups['json'] ?? '{}') as Record<string, unknown>;
    const properties = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, { type: nameType(value) }]));
    const parameters = { type: 'object', properties };
    return [{ type: 'function', function: { name: match.groups['name'], parameters } }];
  });
  return { text, tools };
}

function nameType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}
