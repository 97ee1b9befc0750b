import { isRecord } from '@lachesis/protocol';
import { asList, asObject, asText, parseJson, type JsonFields } from './json-shapes.ts';

interface OpenCall {
  index: number | undefined;
  id: string | undefined;
  type: string | undefined;
  name: string | undefined;
  arguments: string;
  /** What a provider adds, such as the signature of a thought. */
  rest: Record<string, unknown>;
}

export interface CallCollector {
  /** The `tool_calls` of a delta. */
  add(pieces: unknown): void;
  calls(): JsonFields[];
}

/**
 * Puts tool calls together whose pieces arrive in any order. OpenAI gives every piece its index. Others send a call whole and
 * without one, name its pieces by their id alone, or give two calls the same index.
 */
export function createCallCollector(): CallCollector {
  const calls: OpenCall[] = [];

  function addPiece(piece: JsonFields): void {
    const { index: place, id: given, type, function: called, ...rest } = piece;
    const { name: named, arguments: written } = asObject(called);
    const [id, name] = [asText(given) || undefined, asText(named) || undefined];
    const index = typeof place === 'number' ? place : undefined;
    let call = findCall(calls, { index, id, name, isStart: isStart(written) });
    if (call === undefined) {
      call = { index, id, type: undefined, name: undefined, arguments: '', rest: {} };
      calls.push(call);
    }
    call.id = id ?? call.id;
    call.type ??= asText(type) || undefined;
    call.name = name ?? call.name;
    // Some servers send the arguments as an object; the text is then ours.
    call.arguments = isRecord(written) ? JSON.stringify(written) : call.arguments + (asText(written) ?? '');
    for (const [field, value] of Object.entries(rest)) call.rest[field] = joinCustom(field, call.rest[field], value);
  }

  return {
    add(pieces) {
      for (const piece of asList(pieces)) if (isRecord(piece)) addPiece(piece);
    },
    calls() {
      const isIndexed = calls.every(({ index }) => index !== undefined);
      const sorted = isIndexed ? calls.toSorted((left, right) => (left.index ?? 0) - (right.index ?? 0)) : calls;
      return sorted.map(({ rest, id, type = 'function', name = '', arguments: text }) => ({
        ...rest,
        ...(id === undefined ? {} : { id }),
        type,
        function: { name, arguments: text },
      }));
    },
  };
}

interface Piece {
  index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  /** Its arguments begin an object of their own. */
  isStart: boolean;
}

/** The call a piece belongs to; undefined when it begins one. */
function findCall(calls: readonly OpenCall[], { index, id, name, isStart: starts }: Piece): OpenCall | undefined {
  if (index !== undefined) {
    const there = calls.findLast((call) => call.index === index);
    if (there === undefined) return undefined;
    // The same index again: a later piece, which may repeat the name or have an id of its own, or another call.
    const isOther =
      name !== undefined && there.name !== undefined && (name !== there.name || (starts && isWhole(there)));
    return isOther ? undefined : there;
  }
  if (id !== undefined) return calls.findLast((call) => call.id === id);
  return name === undefined ? calls.at(-1) : undefined;
}

/** A call of a tool that takes any text: its input comes in pieces too. */
function joinCustom(field: string, known: unknown, value: unknown): unknown {
  if (field !== 'custom' || !isRecord(known) || !isRecord(value)) return value;
  return { ...known, ...value, input: `${asText(known['input']) ?? ''}${asText(value['input']) ?? ''}` };
}

const isStart = (written: unknown): boolean =>
  isRecord(written) || (typeof written === 'string' && written.trimStart().startsWith('{'));

const isWhole = (call: OpenCall): boolean => isRecord(parseJson(call.arguments));
