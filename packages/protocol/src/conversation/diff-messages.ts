import type { ChatMessage } from '../chat/message.ts';
import { messageText } from './message-text.ts';

/** One row of two conversations beside each other, by the places of its messages. */
type DiffStep =
  | { kind: 'same'; left: number; right: number }
  | { kind: 'changed'; left: number; right: number; what: string }
  | { kind: 'left'; left: number }
  | { kind: 'right'; right: number };

/** Two conversations row by row, and where they first part. */
export interface MessageDiff {
  steps: DiffStep[];
  /** The first place where they part; undefined when they are the same. */
  first: { step: number; what: string } | undefined;
}

/** Beyond this many pairs of messages the rest is compared place by place: the table would not fit into memory. */
const LARGEST_TABLE = 4_000_000;

/** Two conversations, aligned by message: what both have stands together. */
export function diffMessages(left: readonly ChatMessage[], right: readonly ChatMessage[]): MessageDiff {
  const leftKeys = left.map(messageKey);
  const rightKeys = right.map(messageKey);
  let start = 0;
  while (start < left.length && start < right.length && leftKeys[start] === rightKeys[start]) start += 1;
  const steps: DiffStep[] = Array.from({ length: start }, (_, index) => ({ kind: 'same', left: index, right: index }));
  for (const step of align(leftKeys.slice(start), rightKeys.slice(start))) {
    const at = { left: (step.left ?? 0) + start, right: (step.right ?? 0) + start };
    if (step.left === undefined) steps.push({ kind: 'right', right: at.right });
    else if (step.right === undefined) steps.push({ kind: 'left', left: at.left });
    else steps.push({ kind: 'same', ...at });
  }
  const paired = pairChanges(steps, left, right);
  const step = paired.findIndex(({ kind }) => kind !== 'same');
  const found = paired[step];
  return { steps: paired, first: found === undefined ? undefined : { step, what: describeStep(found, left, right) } };
}

interface Pair {
  left: number | undefined;
  right: number | undefined;
}

/** The longest order of messages that both have, and around it what one has alone. */
function align(left: readonly string[], right: readonly string[]): Pair[] {
  const width = right.length + 1;
  const isLarge = left.length * right.length > LARGEST_TABLE;
  const lengths = new Uint32Array(isLarge ? 0 : (left.length + 1) * width);
  if (!isLarge) {
    for (let i = left.length - 1; i >= 0; i -= 1) {
      for (let j = right.length - 1; j >= 0; j -= 1) {
        lengths[i * width + j] =
          left[i] === right[j]
            ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
            : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
      }
    }
  }
  const pairs: Pair[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    const isSame = i < left.length && j < right.length && left[i] === right[j];
    const below = lengths[(i + 1) * width + j] ?? 0;
    const beside = lengths[i * width + j + 1] ?? 0;
    if (isSame) pairs.push({ left: i++, right: j++ });
    else if (j >= right.length || (i < left.length && (isLarge ? i <= j : below >= beside)))
      pairs.push({ left: i++, right: undefined });
    else pairs.push({ left: undefined, right: j++ });
  }
  return pairs;
}

/** One that is gone and one that came in its place, of the same role, are one that changed. */
function pairChanges(
  steps: readonly DiffStep[],
  left: readonly ChatMessage[],
  right: readonly ChatMessage[],
): DiffStep[] {
  const paired: DiffStep[] = [];
  for (let index = 0; index < steps.length;) {
    const run: DiffStep[] = [];
    while (index < steps.length && steps[index]?.kind !== 'same') run.push(steps[index++] as DiffStep);
    const gone = run.flatMap((step) => (step.kind === 'left' ? [step.left] : []));
    const came = run.flatMap((step) => (step.kind === 'right' ? [step.right] : []));
    while (gone.length > 0 && came.length > 0) {
      const [l = 0, r = 0] = [gone[0], came[0]];
      if (left[l]?.role !== right[r]?.role) break;
      paired.push({ kind: 'changed', left: l, right: r, what: describeChange(left[l], right[r]) });
      gone.shift();
      came.shift();
    }
    paired.push(...gone.map((l): DiffStep => ({ kind: 'left', left: l })));
    paired.push(...came.map((r): DiffStep => ({ kind: 'right', right: r })));
    const same = steps[index];
    if (same !== undefined) paired.push(same);
    index += 1;
  }
  return paired;
}

/** Ids of tool calls are made up anew in each run: they say nothing about what happened. */
function messageKey(message: ChatMessage): string {
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: given } }) => [name, sameJson(given)]);
  return JSON.stringify([message.role, messageText(message).trim(), calls]);
}

/** Arguments with other spaces between them are the same arguments. */
function sameJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    // What a model wrote need not be JSON; then it is compared as it stands.
    return text;
  }
}

function describeChange(left: ChatMessage | undefined, right: ChatMessage | undefined): string {
  const names = (message: ChatMessage | undefined): string =>
    (message?.tool_calls ?? []).map((call) => call.function.name).join(', ');
  if (names(left) !== names(right))
    return `calls ${names(left) || 'no tool'} here and ${names(right) || 'no tool'} there`;
  if (names(left) !== '') return `calls ${names(left)} with other arguments`;
  return left?.role === 'tool' ? 'the tool gave another result' : 'says something else';
}

function describeStep(step: DiffStep, left: readonly ChatMessage[], right: readonly ChatMessage[]): string {
  const role = (message: ChatMessage | undefined): string => message?.role ?? 'message';
  switch (step.kind) {
    case 'left':
      return `message ${step.left + 1} (${role(left[step.left])}) is in the first alone`;
    case 'right':
      return `message ${step.right + 1} (${role(right[step.right])}) is in the second alone`;
    case 'changed':
      return `message ${step.left + 1} (${role(left[step.left])}): ${step.what}`;
    case 'same':
      return '';
  }
}
