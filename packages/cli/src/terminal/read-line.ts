import type { KeyReader } from './key-reader.ts';
import { textWidth } from './text-width.ts';

const ENTER = new Set(['\r', '\n', '\r\n']);
const ERASE = new Set(['\u007F', '\b']);
const CANCEL = new Set(['\u001B', '\u0003', '\u0004']);

/** One line, typed key by key; undefined when it was given up with Escape or Ctrl-C. */
export async function readLine(
  keys: KeyReader,
  prompt: string,
  write: (text: string) => void,
): Promise<string | undefined> {
  write(prompt);
  const typed: string[] = [];
  for (;;) {
    const key = await keys.next();
    if (key === undefined || CANCEL.has(key)) {
      write('\n');
      return undefined;
    }
    if (ENTER.has(key)) {
      write('\n');
      return typed.join('');
    }
    if (ERASE.has(key)) {
      const gone = typed.pop();
      if (gone !== undefined) write('\b \b'.repeat(textWidth(gone)));
    } else if (!key.startsWith('\u001B') && key >= ' ') {
      typed.push(key);
      write(key);
    }
  }
}
