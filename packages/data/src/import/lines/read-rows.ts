import { createHash } from 'node:crypto';
import { formatPythonJson, type PythonJsonValue } from '@lachesis/sdk/render';
import { parsePythonJson } from '../../records/python/parse-python-json.ts';
import { readLines } from './read-lines.ts';
import type { Source } from './source.ts';

/** One JSON value of a file. */
export type SourceRow = { at: string; value: PythonJsonValue; id: string } | { at: string; problem: string };

/** The rows of a JSONL file, of a file that is one JSON array, or of one that is a single object on many lines. */
export async function* readRows(source: Source): AsyncGenerator<SourceRow> {
  const held: { at: number; text: string }[] = [];
  let isLines: boolean | undefined;
  for await (const line of readLines(source)) {
    if ('problem' in line) {
      yield* finishHeld(held);
      held.length = 0;
      yield { at: `line ${line.at}`, problem: line.problem };
      isLines = true;
      continue;
    }
    if (isLines === undefined) isLines = !line.text.trimStart().startsWith('[') && parse(line.text) !== undefined;
    if (isLines) yield readLine(line);
    else held.push(line);
  }
  yield* finishHeld(held);
}

function* finishHeld(held: readonly { at: number; text: string }[]): Generator<SourceRow> {
  if (held.length === 0) return;
  const whole = parse(held.map(({ text }) => text).join('\n'));
  if (whole === undefined) for (const line of held) yield readLine(line);
  else if (Array.isArray(whole.value)) {
    for (const [place, value] of (whole.value as readonly PythonJsonValue[]).entries())
      yield { at: `element ${place}`, value, id: nameRow(formatPythonJson(value)) };
  } else yield { at: 'line 1', value: whole.value, id: nameRow(formatPythonJson(whole.value)) };
}

function readLine({ at, text }: { at: number; text: string }): SourceRow {
  const parsed = parse(text);
  if (parsed === undefined)
    return { at: `line ${at}`, problem: 'it is not JSON; a line that was cut short looks like this' };
  return { at: `line ${at}`, value: parsed.value, id: nameRow(text) };
}

function parse(text: string): { value: PythonJsonValue } | undefined {
  try {
    return { value: parsePythonJson(text) };
  } catch {
    // The caller says where.
    return undefined;
  }
}

/** The same row has the same name whenever it is read, so that reading a file twice adds nothing. */
const nameRow = (text: string): string => `import/${createHash('sha256').update(text).digest('hex').slice(0, 20)}`;
