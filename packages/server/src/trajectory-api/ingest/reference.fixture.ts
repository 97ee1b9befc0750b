import { constants, inflateRawSync } from 'node:zlib';
import { readWireBlock, SCORED_DATA_FIELDS } from '@lachesis/protocol/codec';
import { ingestBody } from './ingest-body.ts';
import type { IngestedGroup, IngestOutcome } from './ingest-body.ts';
import type { Refusal } from './issues.ts';

/** A JSON value with the text of its numbers and strings kept. */
type Tree =
  | { kind: 'scalar'; text: string }
  | { kind: 'list'; items: Tree[] }
  | { kind: 'object'; members: [string, Tree][] };

/** The canonical text of a valid body whose numbers need no coercion but the fraction: slow, plain, written from the rules. */
export function renderReference(text: string): string {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g) ?? [];
  let position = 0;
  const next = (): string => tokens[position++] ?? '';
  const read = (): Tree => {
    const token = next();
    if (token === '[') {
      const items: Tree[] = [];
      while (tokens[position] !== ']') {
        items.push(read());
        if (tokens[position] === ',') position++;
      }
      position++;
      return { kind: 'list', items };
    }
    if (token === '{') {
      const members: [string, Tree][] = [];
      while (tokens[position] !== '}') {
        const key = next();
        position++;
        members.push([key, read()]);
        if (tokens[position] === ',') position++;
      }
      position++;
      return { kind: 'object', members };
    }
    return { kind: 'scalar', text: token };
  };
  const tree = read();
  if (tree.kind !== 'object') throw new Error('not an object');
  const byKey = new Map(tree.members.map(([key, value]) => [JSON.parse(key) as string, value]));
  const members = SCORED_DATA_FIELDS.map(({ key, kind }) => {
    const value = byKey.get(key);
    return `"${key}":${value ? renderTree(value, kind) : 'null'}`;
  });
  return `{${members.join(',')}}`;
}

function renderTree(tree: Tree, kind: 'int' | 'float' | 'json'): string {
  if (tree.kind === 'list') return `[${tree.items.map((item) => renderTree(item, kind)).join(',')}]`;
  if (tree.kind === 'object') {
    return `{${tree.members.map(([key, value]) => `${key}:${renderTree(value, kind)}`).join(',')}}`;
  }
  if (kind === 'int' && tree.text === '-0') return '0';
  if (kind !== 'float' || !/^-?\d+$/.test(tree.text)) return tree.text;
  if (tree.text === '-0') return '0.0';
  if (tree.text.length <= 15) return `${tree.text}.0`;
  const rounded = String(Number(tree.text));
  return rounded.includes('e') ? rounded : `${rounded}.0`;
}

/** Minimal valid fields, to be spread under what a test is about. */
export const minimal = { tokens: '[[1]]', masks: '[[1]]', scores: '[1.0]' };

/** A body from the texts of its fields. */
export function writeBody(fields: Record<string, string>): string {
  const members = Object.entries({ ...minimal, ...fields }).map(([key, value]) => `${JSON.stringify(key)}: ${value}`);
  return `{${members.join(', ')}}`;
}

export function ingestText(text: string | Uint8Array, shape: 'one' | 'list' = 'one'): IngestOutcome {
  const body = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return ingestBody({ body, encoding: 'identity', shape });
}

export function expectGroup(outcome: IngestOutcome): IngestedGroup {
  if (outcome.kind === 'refused') throw new Error(`refused: ${JSON.stringify(outcome)}`);
  const [group] = outcome.groups;
  if (!group) throw new Error('no group');
  return group;
}

export function expectRefusal(outcome: IngestOutcome): Refusal {
  if (outcome.kind !== 'refused') throw new Error('accepted');
  return outcome;
}

/** The issues as `type@loc`, which reads well in a failed comparison. */
export function listIssues(outcome: IngestOutcome): string[] {
  const refusal = expectRefusal(outcome);
  return 'issues' in refusal ? refusal.issues.map(({ type, loc }) => `${type}@${loc.join('.')}`) : [refusal.text];
}

export function readCanonical(payload: Uint8Array): string {
  const block = readWireBlock(payload);
  if (!block) throw new Error('no wire block');
  return inflateRawSync(block.deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
}

/** One field of the canonical text, as text: `JSON.parse` would lose `1.0` and integers beyond 2^53. */
export function readField(text: string | Uint8Array, key: string): string {
  const canonical = readCanonical(expectGroup(ingestText(text)).payload);
  const keys = SCORED_DATA_FIELDS.map((field) => field.key as string);
  const start = canonical.indexOf(`"${key}":`) + key.length + 3;
  const following = keys[keys.indexOf(key) + 1];
  return canonical.slice(start, following ? canonical.indexOf(`,"${following}":`, start) : -1);
}
