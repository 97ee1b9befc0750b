import { ToolError } from '@lachesis/sdk/agent';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { splitDelimitedLine } from './split-delimited-line.ts';

/** A file of one JSON value is read whole before its first row is known. */
const MAX_JSON_BYTES = 20_000_000;

/** Rows of a data file, one by one; only as much is read as somebody takes. */
export async function* readRows(file: string, shown: string): AsyncGenerator {
  const name = file.toLowerCase().replace(/\.gz$/, '');
  try {
    if (/\.(?:jsonl|ndjson)$/.test(name)) yield* readJsonLines(file, shown);
    else if (name.endsWith('.csv')) yield* readTable(file, ',');
    else if (name.endsWith('.tsv')) yield* readTable(file, '\t');
    else if (name.endsWith('.json') && name === file.toLowerCase()) yield* await readJson(file, shown);
    else {
      throw new ToolError({
        what: `${shown} is not a data file that can be previewed`,
        reason: 'those are .jsonl, .ndjson, .csv and .tsv, also with .gz, and .json',
        hint: 'A person can turn it into rows with `lachesis data import` and `lachesis data export jsonl`',
      });
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (ToolError.isInstance(error) || code === undefined) throw error;
    throw new ToolError({
      what: `${shown} cannot be read`,
      reason: code,
      hint: 'list_files shows what is there',
      cause: error,
    });
  }
}

async function* readLines(file: string): AsyncGenerator<string> {
  const bytes = createReadStream(file);
  const input = file.toLowerCase().endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  // `pipe` does not pass errors on, and a stream that nobody listens to would end the process.
  bytes.once('error', (error) => void input.destroy(error));
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const failure = new Promise<never>((_resolve, reject) => input.once('error', reject));
  failure.catch(() => undefined);
  const iterator = lines[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), failure]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    lines.close();
    bytes.destroy();
  }
}

async function* readJsonLines(file: string, shown: string): AsyncGenerator {
  let number = 0;
  for await (const line of readLines(file)) {
    number += 1;
    if (line.trim() !== '') yield parseJson(line, `line ${number} of ${shown}`);
  }
}

async function* readTable(file: string, delimiter: string): AsyncGenerator {
  let header: string[] | undefined;
  let pending = '';
  for await (const line of readLines(file)) {
    const cells = splitDelimitedLine(pending + line, delimiter);
    // A quote that is still open goes on in the next line.
    if (cells === undefined) {
      pending += `${line}\n`;
      continue;
    }
    pending = '';
    if (header === undefined) header = cells;
    else yield Object.fromEntries(cells.map((cell, index) => [header?.[index] ?? `column ${index + 1}`, cell]));
  }
}

async function readJson(file: string, shown: string): Promise<unknown[]> {
  const { size } = await stat(file);
  if (size > MAX_JSON_BYTES) {
    throw new ToolError({
      what: `${shown} has ${size} bytes`,
      reason: `one JSON value is read up to ${MAX_JSON_BYTES}`,
      hint: 'Give it one row a line, as .jsonl',
    });
  }
  const value = parseJson(await readFile(file, 'utf8'), shown);
  return Array.isArray(value) ? value : [value];
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ToolError({
      what: `${where} is not JSON`,
      reason: cause instanceof Error ? cause.message : String(cause),
      cause,
    });
  }
}
