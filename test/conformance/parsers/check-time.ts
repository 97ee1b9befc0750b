import type { CallWriter } from './corpus/call-writer.ts';
import { type CreateParser, readReply } from './read-reply.ts';

/** Sixteen times the text: sixteen times the time if it is linear, 256 times if every part looks at every other. */
export const GROWTH = 16;
/** Between the two, with room for a machine that is busy. */
export const GROWTH_LIMIT = 100;
const SMALL = 24_000;
/** Below this the clock and the collector are measured, not the parser. */
export const WORTH_MS = 20;

const MOST_ROUNDS = 3;

export interface TimeResult {
  readonly patterns: number;
  /** The largest growth that was worth measuring. */
  readonly worst: number;
  readonly slowestMs: number;
  readonly failures: readonly string[];
}

/** Times replies that invite a parser to look again and again at what it has seen. */
export function checkTime(writer: CallWriter, createParser: CreateParser): TimeResult {
  const { format } = writer;
  const failures: string[] = [];
  let worst = 0;
  let slowestMs = 0;
  const patterns = makePatterns(writer);
  for (const [name, make] of patterns) {
    // Three show what is wrong, and what is wrong takes long.
    if (failures.length === 3) break;
    const time = (length: number, tries: number): number =>
      Math.min(...Array.from({ length: tries }, () => timeReply(make(length))));
    const large = time(SMALL * GROWTH, 1);
    slowestMs = Math.max(slowestMs, large);
    if (large < WORTH_MS) continue;
    // Measured again, now that it matters, and the quickest counts. What others on the machine did comes and goes; what the
    // parser does stays.
    let growth = Infinity;
    for (let round = 0; round < MOST_ROUNDS && growth > GROWTH_LIMIT; round += 1) {
      growth = Math.min(growth, time(SMALL * GROWTH, 2) / Math.max(1, time(SMALL, 3)));
    }
    worst = Math.max(worst, growth);
    if (growth > GROWTH_LIMIT)
      failures.push(`${format}, ${name}: ${growth.toFixed(1)} times as long for ${GROWTH} times the text`);
  }

  function timeReply(pieces: readonly string[]): number {
    const startedAt = performance.now();
    readReply({ createParser, format, pieces });
    return performance.now() - startedAt;
  }
  return { patterns: patterns.length, worst, slowestMs, failures };
}

type Pattern = readonly [name: string, make: (length: number) => readonly string[]];

function makePatterns({ write }: CallWriter): readonly Pattern[] {
  const call = write([{ name: 'f', values: [['a', '"x"']] }], 'behind-text');
  const open = call.slice(0, call.indexOf('x'));
  const marker = /^(?:<[^>]*>|\[[A-Z_]*\])/.exec(call)?.[0] ?? open;
  const fill = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length)).slice(0, length);
  const whole = (make: (length: number) => string) => (length: number) => [make(length)];
  return [
    ['text', whole((length) => fill('word < and [ and { ', length))],
    ['beginnings', whole((length) => fill(marker, length))],
    ['beginnings and text', whole((length) => fill(`${marker} x `, length))],
    ['open calls', whole((length) => fill(open, length))],
    ['calls', whole((length) => fill(call, length))],
    ['calls and text', whole((length) => fill(`${call} x `, length))],
    ['one long value', whole((length) => open + fill('y', length) + call.slice(call.indexOf('x')))],
    ['one long value without end', whole((length) => open + fill('y < ', length))],
    ['braces', whole((length) => open + fill('{', length))],
    ['brackets', whole((length) => `${marker}{"a": ${fill('[', length)}`)],
    ['white space', whole((length) => marker + fill(' \n', length) + call)],
    ['half markers', whole((length) => fill(marker.slice(0, -1), length))],
    ['quotes', whole((length) => open + fill('"', length))],
    ['one long value in pieces', (length) => cutReply(open + fill('y < ', length) + call.slice(call.indexOf('x')), 4)],
    ['text in pieces', (length) => cutReply(fill('word < and ', length), 4)],
    ['backslashes', whole((length) => open + fill('\\', length))],
  ];
}

const cutReply = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_unused, index) =>
    text.slice(index * size, (index + 1) * size),
  );
