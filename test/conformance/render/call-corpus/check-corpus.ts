import { createToolCallParser } from '@lachesis/sdk/render';
import type { ToolCallEvent } from '../../../../packages/sdk/src/render/calls/tool-call-event.ts';
import { joinTexts } from '../../../../packages/sdk/src/render/calls/create-tool-call-parser.ts';

import type { CallCorpus, CorpusCase } from './corpus.ts';

export interface CorpusResult {
  readonly cases: number;
  readonly cuts: number;
  /** A sentence for each case that came out otherwise. */
  readonly failures: readonly string[];
}

/** Reads each case at once, cut in two at every byte, and byte by byte; and joins the events back to the text. */
export function checkCorpus({ format, good, broken }: CallCorpus, createParser = createToolCallParser): CorpusResult {
  const failures: string[] = [];
  let cuts = 0;
  for (const { text, expected } of [...good, ...broken]) {
    const reader = createParser({ format });
    const events = joinTexts([...reader.push(text), ...reader.end()]);
    const found = events.map(describe);
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      failures.push(
        `${format} ${JSON.stringify(text)}: ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`,
      );
    }
    if (events.map(readRaw).join('') !== text)
      failures.push(`${format} ${JSON.stringify(text)}: something was dropped`);
    const bytes = new TextEncoder().encode(text);
    const whole = JSON.stringify(events);
    const splits = Array.from(bytes, (_byte, at) => [bytes.subarray(0, at), bytes.subarray(at)]);
    for (const pieces of [...splits, Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1)), Array.from(text)]) {
      cuts += 1;
      const parser = createParser({ format });
      const pushed = pieces.flatMap((piece) => parser.push(piece));
      if (JSON.stringify(joinTexts([...pushed, ...parser.end()])) === whole) continue;
      failures.push(
        `${format} ${JSON.stringify(text)}: other events when cut into ${pieces.length}, first ${pieces[0]?.length}`,
      );
      break;
    }
  }
  return { cases: good.length + broken.length, cuts, failures };
}

/** The cases in which nothing went wrong although something should have. */
export function findTooMild(broken: readonly CorpusCase[]): readonly CorpusCase[] {
  return broken.filter(({ expected }) => !expected.some((line) => line.startsWith('!')));
}

const readRaw = (event: ToolCallEvent): string => (event.type === 'text-delta' ? event.text : event.raw);

function describe(event: ToolCallEvent): string {
  if (event.type === 'text-delta') return event.text;
  if (event.type === 'malformed-call') return `!${event.reason}`;
  return `${event.name}(${event.argumentsText})${event.id === undefined ? '' : `#${event.id}`}`;
}
