import path from 'node:path';

/** A file a recorder appends to: `<directory>/<recorder>/<n>.jsonl`. */
const WRITTEN = /^(\d+)\.jsonl$/;

/** The same file once somebody reads it: nobody else appends to it from then on. */
const TAKEN = /^(\d+)\.taken$/;

export interface SegmentName {
  readonly number: number;
  readonly isTaken: boolean;
}

export function readSegmentName(file: string): SegmentName | undefined {
  const written = WRITTEN.exec(file)?.[1];
  if (written !== undefined) return { number: Number(written), isTaken: false };
  const taken = TAKEN.exec(file)?.[1];
  return taken === undefined ? undefined : { number: Number(taken), isTaken: true };
}

export const segmentPath = (directory: string, recorder: string, number: number): string =>
  path.join(directory, recorder, `${number}.jsonl`);

export const takenName = (file: string): string => file.replace(/\.jsonl$/, '.taken');

/** A recorder's name is the name of a folder: no separators, no dots in front. */
export const isRecorderName = (recorder: string): boolean => /^[A-Za-z0-9_][\w.-]{0,199}$/.test(recorder);
