import { readFile, rename, writeFile } from 'node:fs/promises';
import type { ReferencePin, ReferenceRecord } from './resetting-reference.ts';

/** In a file of the run, whole or not at all. */
export function openReferenceRecord(file: string): ReferenceRecord {
  return {
    async read() {
      const text = await readFile(file, 'utf8').catch(() => undefined);
      return text === undefined ? undefined : (JSON.parse(text) as ReferencePin);
    },
    async write(pin) {
      await writeFile(`${file}.next`, JSON.stringify(pin));
      await rename(`${file}.next`, file);
    },
  };
}
