import type { Turn } from '../region/turn.ts';

/** What of some turns a summary should not lose. Each list is without repetition and bounded. */
export interface TurnFacts {
  readonly toolNames: readonly string[];
  /** Values of arguments; long ones by their beginning. */
  readonly toolArguments: readonly string[];
  /** Sentences of the model that decide or conclude something. */
  readonly decisions: readonly string[];
  /** With two digits or more: single ones stand everywhere. */
  readonly numbers: readonly string[];
}

export interface ToolUse {
  readonly name: string;
  readonly arguments: readonly (readonly [string, string])[];
}

/** A tool that printed a log has thousands; a share of the first ones says as much. */
const MOST_FACTS = 400;
const LONGEST_ARGUMENT = 80;
const CALL = /<tool_call>\s*([\s\S]*?)\s*<\/tool_call>/g;
/** The look behind stands after the digit: before it, it would be taken at every character. */
const NUMBER = /\d(?<![\w.]\d)(?:[\d,]*\d)?(?:\.\d+)?(?![\w])/g;
const DECISION =
  /\b(?:decid\w*|therefore|because|instead|conclu\w*|chose|choose|found|fixed|failed|root cause|must|should|plan\w*|next)\b/i;
const SENTENCE = /[^.!?\n]+[.!?]?/g;

export function readFacts(turns: readonly Turn[]): TurnFacts {
  const toolNames = new Set<string>();
  const toolArguments = new Set<string>();
  const decisions = new Set<string>();
  const numbers = new Set<string>();
  for (const { from, value } of turns) {
    for (const number of numbers.size < MOST_FACTS ? (value.match(NUMBER) ?? []) : []) {
      if (numbers.size >= MOST_FACTS) break;
      if (number.length > 1) numbers.add(number);
    }
    if (from !== 'gpt') continue;
    for (const { name, arguments: given } of readToolUses(value)) {
      toolNames.add(name);
      for (const [, text] of given) if (toolArguments.size < MOST_FACTS) toolArguments.add(text);
    }
    for (const sentence of readDecisions(value)) if (decisions.size < MOST_FACTS) decisions.add(sentence);
  }
  return {
    toolNames: [...toolNames],
    toolArguments: [...toolArguments],
    decisions: [...decisions],
    numbers: [...numbers],
  };
}

export const readNumbers = (text: string): Set<string> => new Set(text.match(NUMBER) ?? []);

/** The calls in a reply; one that is no JSON has no name to lose. */
export function readToolUses(value: string): ToolUse[] {
  return Array.from(value.matchAll(CALL), ([, text = '']) => readCall(text)).filter((use) => use !== undefined);
}

function readCall(text: string): ToolUse | undefined {
  let call: unknown;
  try {
    call = JSON.parse(text);
  } catch {
    // A reply may talk about the tags, or the model wrote no JSON between them.
    return undefined;
  }
  if (typeof call !== 'object' || call === null || !('name' in call) || typeof call.name !== 'string') return undefined;
  const found: [string, string][] = [];
  collect('', 'arguments' in call ? call.arguments : undefined, found);
  return { name: call.name, arguments: found };
}

function collect(key: string, value: unknown, found: [string, string][]): void {
  if (found.length >= MOST_FACTS || value === null || value === undefined) return;
  if (typeof value === 'object') {
    for (const [name, inner] of Object.entries(value)) collect(Array.isArray(value) ? key : name, inner, found);
    return;
  }
  const line = `${value as string | number | boolean}`.trim().split('\n', 1)[0] ?? '';
  if (line !== '') found.push([key, line.slice(0, LONGEST_ARGUMENT)]);
}

/** Sentences outside of calls that decide something. */
export function readDecisions(value: string): string[] {
  const spoken = value.replaceAll(CALL, '\n').replaceAll(/<\/?think>/g, '\n');
  return (spoken.match(SENTENCE) ?? [])
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 12 && DECISION.test(sentence));
}
