import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Source } from './source.ts';

export type SourceLine = { at: number; text: string } | { at: number; problem: string };

/** The lines of a file, from 1, without their ends; blank ones are counted and left out. */
export async function* readLines(source: Source): AsyncGenerator<SourceLine> {
  let rest = '';
  let at = 0;
  try {
    for await (const piece of readTexts(source)) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        at += 1;
        if (line.trim() !== '') yield { at, text: line.endsWith('\r') ? line.slice(0, -1) : line };
      }
    }
  } catch (error) {
    // What could be read before the damage has been handed out, and what follows cannot be.
    yield {
      at: at + 1,
      problem: `the file is damaged here: ${error instanceof Error ? error.message : String(error)}`,
    };
    return;
  }
  if (rest.trim() !== '') yield { at: at + 1, text: rest };
}

async function* readTexts(source: Source): AsyncGenerator<string> {
  if (typeof source === 'string') {
    yield source.startsWith('\uFEFF') ? source.slice(1) : source;
    return;
  }
  const decoder = new TextDecoder();
  for await (const bytes of inflate(toPieces(source))) yield decoder.decode(bytes, { stream: true });
  yield decoder.decode();
}

async function* toPieces(source: Exclude<Source, string>): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array) yield source;
  else for await (const piece of source) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}

/** Bytes as they are, or what they hold when they begin as gzip does. */
async function* inflate(pieces: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const first = await pieces.next();
  if (first.done === true) return;
  const whole = (async function* () {
    yield first.value;
    yield* pieces;
  })();
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* whole;
    return;
  }
  const gunzip = createGunzip();
  const input = Readable.from(whole, { objectMode: false });
  input.once('error', (error) => gunzip.destroy(error));
  for await (const piece of input.pipe(gunzip)) yield piece as Uint8Array;
}
