import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { hasRepositoryFile, repositoryRoot } from './source-files.ts';

const run = promisify(execFile);

/** A command line that asks for help longer than this hangs; loading the whole product takes about a second. */
const helpTimeoutMs = 60_000;

/** Each loads a good part of the product; more at once only wait for one another. */
const atOnce = 3;

/** Every command of the CLI with its options, as its own `--help` tells them. */
export async function readCommands(main = 'packages/cli/src/main.ts'): Promise<Record<string, string[]>> {
  if (!hasRepositoryFile(main)) return {};
  const found: Record<string, string[]> = {};
  let waiting: string[][] = [[]];
  while (waiting.length > 0) {
    const [asked, rest] = [waiting.slice(0, atOnce), waiting.slice(atOnce)];
    const deeper = await Promise.all(
      asked.map(async (words) => {
        const help = await askHelp(main, words);
        const commands = readSection(help, 'COMMANDS');
        if (commands.length === 0) found[['lachesis', ...words].join(' ')] = readOptions(help);
        return commands.map((command) => [...words, command]);
      }),
    );
    waiting = [...rest, ...deeper.flat()];
  }
  return Object.fromEntries(Object.entries(found).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

async function askHelp(main: string, words: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['--conditions=lachesis-source', main, ...words, '--help'], {
    cwd: repositoryRoot,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
    timeout: helpTimeoutMs,
  });
  return stdout;
}

/** The first column of a section of a help text. */
export function readSection(help: string, title: 'ARGUMENTS' | 'COMMANDS' | 'OPTIONS'): string[] {
  const lines = help.split('\n').map((line) => line.trim());
  const start = lines.indexOf(title);
  if (start < 0) return [];
  const rows = lines.slice(start + 2);
  const end = rows.indexOf('');
  return rows.slice(0, end < 0 ? undefined : end).map((line) => line.split(/\s{2,}/)[0] ?? line);
}

function readOptions(help: string): string[] {
  const options = readSection(help, 'OPTIONS').flatMap((row) =>
    row.split(', ').map((option) => option.replace(/=.*$/, '')),
  );
  const positions = readSection(help, 'ARGUMENTS').map((row) => `<${row.replace(/=.*$/, '').toLowerCase()}>`);
  return [...positions, ...options.toSorted()];
}
