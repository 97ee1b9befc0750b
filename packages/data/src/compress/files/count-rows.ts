import { createReadStream } from 'node:fs';
import { readLines } from '../../import/lines/read-lines.ts';
import { isJson } from './compress-file.ts';

/** How many lines of a file are JSON: a sample is drawn from those. */
export async function countRows(path: string): Promise<number> {
  let count = 0;
  for await (const line of readLines(createReadStream(path))) if ('text' in line && isJson(line.text)) count += 1;
  return count;
}
