import type { ConversationRecord } from '@lachesis/protocol';
import { countTools } from '../../export/sharegpt/count-tools.ts';
import { textOf } from '../../records/message-parts.ts';
import { batchInputSchema } from '../batch-agent.ts';

/** A prompt that is worth a look, and why. */
export interface RowToRead {
  prompt_index: number;
  why: string;
  /** Its first words. */
  prompt: string;
}

const LONGEST_PROMPT = 120;
const MOST_FAILURES = 5;
const MOST_OF_EACH = 3;

interface Pick {
  index: number;
  record: ConversationRecord;
  reason: string;
  cost: number | null;
}

interface Candidate {
  value: number;
  row: RowToRead;
}

/** Keeps the few rows that a person reads first: a failure of each reason, then the dearest, the longest, those whose tools failed. */
export function createPicks(): {
  add(row: Pick): void;
  addFailure(row: { index: number; reason: string; input: unknown }): void;
  read(): RowToRead[];
} {
  const failures = new Map<string, RowToRead>();
  const kinds: Candidate[][] = [[], [], [], []];
  const keep = (kind: number, value: number, row: RowToRead): void => {
    const list = kinds[kind];
    if (list === undefined || value <= 0) return;
    list.push({ value, row });
    list.sort((left, right) => right.value - left.value);
    list.length = Math.min(list.length, MOST_OF_EACH);
  };
  return {
    add({ index, record, reason, cost }) {
      const { messages } = record;
      const first = messages.find(({ role }) => role === 'user');
      const about = { prompt_index: index, prompt: first === undefined ? '' : shorten(textOf(first).text) };
      const wrong = [...countTools(record).values()].reduce((sum, { failure }) => sum + failure, 0);
      const replies = messages.filter(({ role }) => role === 'assistant').length;
      keep(0, wrong, { ...about, why: `${wrong} calls of tools failed` });
      if (record.partial || !record.completed) keep(1, 1, { ...about, why: `it did not come to its end: ${reason}` });
      if (cost !== null) keep(2, cost, { ...about, why: `it cost $${cost.toFixed(4)}` });
      if (replies > 1) keep(3, replies, { ...about, why: `it took ${replies} replies` });
    },
    addFailure({ index, reason, input }) {
      if (failures.has(reason) || failures.size >= MOST_FAILURES) return;
      const { prompt } = batchInputSchema.parse(input);
      failures.set(reason, { prompt_index: index, why: `it failed: ${reason}`, prompt: shorten(prompt) });
    },
    read: () => [...failures.values(), ...kinds.flatMap((list) => list.map(({ row }) => row))],
  };
}

const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST_PROMPT ? `${line.slice(0, LONGEST_PROMPT)}…` : line;
};
