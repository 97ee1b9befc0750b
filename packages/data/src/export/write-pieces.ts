import { open, rename, rm } from 'node:fs/promises';

/** Lines are short, and a call of the system for each would cost more than making them. */
const BUFFER_CHARACTERS = 262_144;

/** Writes what a format gives into a file. It appears under its name when it is whole, and an export that fails leaves nothing. */
export async function writePieces(
  path: string,
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): Promise<void> {
  const unfinished = `${path}.unfinished`;
  const handle = await open(unfinished, 'w');
  try {
    let text = '';
    for await (const piece of pieces) {
      if (typeof piece === 'string') {
        text += piece;
        if (text.length < BUFFER_CHARACTERS) continue;
      }
      await handle.appendFile(text);
      text = '';
      if (typeof piece !== 'string') await handle.appendFile(piece);
    }
    await handle.appendFile(text);
    await handle.sync();
  } catch (error) {
    await handle.close();
    await rm(unfinished, { force: true });
    throw error;
  }
  await handle.close();
  await rename(unfinished, path);
}
