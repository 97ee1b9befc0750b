import { writePieces } from '../../export/write-pieces.ts';

/** A JSON file for people and programs, whole or as it was before. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await writeText(path, `${JSON.stringify(value, null, 2)}\n`);
}

export async function writeText(path: string, text: string): Promise<void> {
  await writePieces(path, piecesOf(text));
}

async function* piecesOf(text: string): AsyncGenerator<string> {
  yield text;
}
