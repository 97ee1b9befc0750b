import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Opens a text in the person's editor; undefined when it was left as it is, or the editor failed. */
export async function editInEditor(text: string): Promise<string | undefined> {
  const editor = process.env['VISUAL'] ?? process.env['EDITOR'] ?? 'vi';
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-edit-'));
  const file = join(folder, 'reply.md');
  try {
    await writeFile(file, text, { mode: 0o600 });
    const code = await run(editor, file);
    if (code !== 0) {
      process.stderr.write(`${editor} ended with ${code}; the reply is as it was. Set EDITOR to another one.\n`);
      return undefined;
    }
    const edited = await readFile(file, 'utf8');
    // Editors end the last line; the reply had no such end unless it has one too.
    const trimmed = text.endsWith('\n') ? edited : edited.replace(/\n$/, '');
    return trimmed === text ? undefined : trimmed;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Through the shell, because `EDITOR` may hold options: `code --wait`. The path goes as an argument and is not read by it. */
function run(editor: string, file: string): Promise<number | string> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'edit', file], { stdio: 'inherit' });
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'no reason'));
  });
}
