import { MASKED, type ChatMessage } from '@lachesis/protocol';

/** Tokens of one row: what was sampled is where the mask is not. */
export interface StoredRow {
  readonly tokens: readonly number[];
  readonly masks: readonly number[];
}

export interface StoredRollout {
  readonly messages: readonly ChatMessage[];
  readonly score: number;
  /** Which rows of the group are its. */
  readonly rows: readonly number[];
  readonly sequences: readonly StoredRow[];
}

/** The rollouts of one line of a groups file, or why there are none. */
export function readStoredGroup(line: string): readonly StoredRollout[] | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { problem: 'the line is no JSON' };
  }
  const { scores, messages, tokens, masks } = (value ?? {}) as Record<string, unknown>;
  if (!isList(scores, (score): score is number => typeof score === 'number'))
    return { problem: 'the line has no scores' };
  if (!isList(messages, isConversation) || messages.length !== scores.length) {
    return { problem: 'the line has no messages, which the files of `lachesis env process` have' };
  }
  const rollouts = new Map<string, StoredRollout & { rows: number[]; sequences: StoredRow[] }>();
  for (const [row, score] of scores.entries()) {
    const conversation = messages[row]!;
    // Rows of one rollout stand together and share the conversation and the score; equal rollouts have equal grades.
    const key = JSON.stringify([score, conversation]);
    const rollout = rollouts.get(key) ?? { messages: conversation, score, rows: [], sequences: [] };
    rollout.rows.push(row);
    rollout.sequences.push({ tokens: numbersAt(tokens, row), masks: numbersAt(masks, row) });
    rollouts.set(key, rollout);
  }
  return [...rollouts.values()];
}

/** Lengths of the replies that a row holds, with what stood before each. */
export function findReplies({ tokens, masks }: StoredRow): { start: number; end: number }[] {
  const replies: { start: number; end: number }[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (masks[at] === MASKED) continue;
    const last = replies.at(-1);
    if (last?.end === at) last.end += 1;
    else replies.push({ start: at, end: at + 1 });
  }
  return replies;
}

/** How many rollouts these rows are: several rows can be one that a template parted, and equal ones stand together. */
export function countRollouts({ messages, rows, sequences }: StoredRollout, promptLength = 0): number {
  const replies = messages.slice(promptLength).filter(({ role }) => role === 'assistant').length;
  const sampled = sequences.reduce((sum, row) => sum + findReplies(row).length, 0);
  return replies > 0 && sampled > 0 && sampled % replies === 0 ? sampled / replies : rows.length;
}

const isList = <T>(value: unknown, isOne: (each: unknown) => each is T): value is T[] =>
  Array.isArray(value) && value.every(isOne);

const isMessage = (value: unknown): value is ChatMessage =>
  typeof value === 'object' && value !== null && 'role' in value && typeof value.role === 'string';

const isConversation = (value: unknown): value is ChatMessage[] => isList(value, isMessage) && value.length > 0;

function numbersAt(lists: unknown, row: number): readonly number[] {
  const list: unknown = Array.isArray(lists) ? lists[row] : undefined;
  return isList(list, (each): each is number => typeof each === 'number') ? list : [];
}
