import { isRecord } from '../values/is-record.ts';

/** A small statement about a reply, and what it is worth. */
interface FeedbackRule {
  /** Part of the key: the same rule run again revises what it said before. */
  name: string;
  when:
    | { contains: string }
    | { regex: string }
    | { json: boolean }
    | { error: boolean }
    | { tool: string }
    /** In characters. */
    | { length: { min?: number; max?: number } };
  /** From 0 to 1, when it is so. */
  score: number;
  /** When it is not so; without it the rule then says nothing. */
  otherwise?: number;
}

const KINDS = ['contains', 'regex', 'json', 'error', 'tool', 'length'] as const;
const FIELDS = ['name', 'when', 'score', 'otherwise'];

/** Checks what a file of rules holds: a list, or an object with the list under `rules`. */
export function readRules(value: unknown): { rules: FeedbackRule[] } | { problem: string } {
  const list = isRecord(value) && 'rules' in value ? value['rules'] : value;
  if (!Array.isArray(list) || list.length === 0) return { problem: 'it must hold a list of rules, at least one' };
  const rules: FeedbackRule[] = [];
  for (const [index, each] of list.entries()) {
    const problem = findProblem(each);
    if (problem !== undefined) return { problem: `rule ${index + 1} ${problem}` };
    rules.push(each as FeedbackRule);
  }
  const twice = rules.find(({ name }, index) => rules.findIndex((other) => other.name === name) !== index);
  return twice === undefined ? { rules } : { problem: `two rules are called ${JSON.stringify(twice.name)}` };
}

function findProblem(rule: unknown): string | undefined {
  if (!isRecord(rule)) return 'is no object';
  const unknown = Object.keys(rule).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) return `has the field ${JSON.stringify(unknown)}; there are ${FIELDS.join(', ')}`;
  const { name, when, score, otherwise } = rule;
  if (typeof name !== 'string' || name === '' || name.length > 100) return 'needs a name of at most 100 letters';
  if (!isScore(score)) return `(${name}) needs a score from 0 to 1`;
  if (otherwise !== undefined && !isScore(otherwise)) return `(${name}) has an otherwise that is not from 0 to 1`;
  const problem = findConditionProblem(when);
  return problem === undefined ? undefined : `(${name}) ${problem}`;
}

function findConditionProblem(when: unknown): string | undefined {
  const kinds = isRecord(when) ? Object.keys(when) : [];
  const [kind] = kinds;
  if (!isRecord(when) || kinds.length !== 1 || !KINDS.some((known) => known === kind)) {
    return `needs under when one of ${KINDS.join(', ')}`;
  }
  const value = when[kind ?? ''];
  if (kind === 'json' || kind === 'error')
    return typeof value === 'boolean' ? undefined : `needs true or false for ${kind}`;
  if (kind === 'length') {
    const isRange =
      isRecord(value) &&
      Object.entries(value).every(([name, size]) => /^(min|max)$/.test(name) && typeof size === 'number');
    return isRange && Object.keys(value).length > 0 ? undefined : 'needs min or max for length, as numbers';
  }
  if (typeof value !== 'string' || value === '') return `needs a text for ${kind}`;
  return kind === 'regex' ? findPatternProblem(value) : undefined;
}

function findPatternProblem(pattern: string): string | undefined {
  try {
    return void new RegExp(pattern, 'u');
  } catch (error) {
    return `has a regex that cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const isScore = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1;
