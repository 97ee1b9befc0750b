import { ToolError } from '@lachesis/sdk/agent';
import { readFile, stat } from 'node:fs/promises';

/** Larger ones are data; preview_rows looks at those. */
export const MAX_TEXT_BYTES = 1_000_000;

/** A file of text; undefined when there is none. */
export async function readTextFile(file: string, shown: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    const { size } = await stat(file);
    if (size > MAX_TEXT_BYTES) {
      throw new ToolError({
        what: `${shown} has ${size} bytes`,
        reason: `files of text are read up to ${MAX_TEXT_BYTES}`,
        hint: 'Use preview_rows for data',
      });
    }
    bytes = await readFile(file);
  } catch (error) {
    if (ToolError.isInstance(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new ToolError({ what: `${shown} cannot be read`, reason: code ?? String(error), cause: error });
  }
  if (bytes.includes(0)) throw new ToolError({ what: `${shown} is not text`, reason: 'it has zero bytes in it' });
  return bytes.toString('utf8');
}
