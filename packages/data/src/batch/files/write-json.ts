import { writePieces } from '../../export/write-pieces.ts';

/** A JSON file for people and programs, whole or as it was before. */
export const writeJson = (path: string, value: unknown): Promise<void> =>
  writePieces(path, [`${JSON.stringify(value, null, 2)}\n`]);
