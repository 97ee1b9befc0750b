import { createToolCallParser } from '@lachesis/sdk/render';
import type { ToolCallEvent } from '../../../packages/sdk/src/render/calls/tool-call-event.ts';
import type { ToolCallParser } from '../../../packages/sdk/src/render/calls/tool-call-event.ts';

import { callWriters } from './corpus/call-writer.ts';
import type { CreateParser } from './read-reply.ts';

export interface Mutant {
  readonly name: string;
  /** The check that has to find it. */
  readonly caughtBy: 'corpus' | 'halves' | 'round-trip' | 'mutations' | 'time';
  readonly createParser: CreateParser;
  /** The fault is one of reading JSON, which formats with plain values do not have. */
  readonly isOfJson?: boolean;
}

const mapEvents =
  (change: (event: ToolCallEvent) => readonly ToolCallEvent[]): CreateParser =>
  (options) => {
    const parser = createToolCallParser(options);
    return {
      push: (piece) => parser.push(piece).flatMap(change),
      end: () => parser.end().flatMap(change),
    };
  };

/** Parsers with one fault each, made here: the product has no switch for them. */
export const mutants: readonly Mutant[] = [
  { name: 'closes a call that was cut off', caughtBy: 'halves', createParser: closing },
  {
    name: 'leaves out calls that cannot be read',
    caughtBy: 'corpus',
    createParser: mapEvents((event) => (event.type === 'malformed-call' ? [] : [event])),
  },
  { name: 'forgets what came in the piece before', caughtBy: 'corpus', createParser: forgetting },
  { name: 'mends commas', caughtBy: 'corpus', createParser: mending, isOfJson: true },
  {
    name: 'trims text',
    caughtBy: 'round-trip',
    createParser: mapEvents((event) => {
      if (event.type !== 'tool-call') return [event];
      const trimmed = Object.entries(event.arguments).map(([key, value]) => [
        key,
        typeof value === 'string' ? value.trim() : value,
      ]);
      return [{ ...event, arguments: Object.fromEntries(trimmed) as Record<string, unknown> }];
    }),
  },
  {
    name: 'throws at a call that cannot be read',
    caughtBy: 'mutations',
    createParser: mapEvents((event) => {
      if (event.type === 'malformed-call') throw new SyntaxError('not a call');
      return [event];
    }),
  },
  { name: 'reads from the beginning again and again', caughtBy: 'time', createParser: repeating },
];

/** Puts the end of a call behind what has none. */
function closing(options: Parameters<CreateParser>[0]): ToolCallParser {
  const parser = createToolCallParser(options);
  const whole = callWriters
    .find(({ format }) => format === options.format)
    ?.write([{ name: 'f', values: [['a', '"x"']] }], 'start');
  const end = whole?.slice(whole.indexOf('x') + 1) ?? '';
  return { push: (piece) => parser.push(piece), end: () => [...parser.push(end), ...parser.end()] };
}

function forgetting(options: Parameters<CreateParser>[0]): ToolCallParser {
  return {
    push: (piece) => {
      const parser = createToolCallParser(options);
      return [...parser.push(piece), ...parser.end()];
    },
    end: () => [],
  };
}

/** Takes away a comma before a closing bracket, as lenient readers do. */
function mending(options: Parameters<CreateParser>[0]): ToolCallParser {
  const parser = createToolCallParser(options);
  return {
    push: (piece) => parser.push(typeof piece === 'string' ? piece.replaceAll(/,\s*(?=[}\]])/g, '') : piece),
    end: () => parser.end(),
  };
}

function repeating(options: Parameters<CreateParser>[0]): ToolCallParser {
  const parser = createToolCallParser(options);
  return {
    push: (piece) => {
      for (let end = 0; end < piece.length; end += 8_000) createToolCallParser(options).push(piece.slice(0, end));
      return parser.push(piece);
    },
    end: () => parser.end(),
  };
}
