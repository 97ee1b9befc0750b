import { startProcess } from '../../kit/start-process.ts';
import { cli, type DemoPlace } from './start-demo.ts';

/** A command of a page that takes longer does not end. */
const LONGEST_MS = 5 * 60_000;

/** What a page tells its reader to type: the lines of its `sh` blocks, joined where a line ends in a backslash. */
export function readCommands(page: string): string[] {
  return [...page.matchAll(/^```sh\n(?<block>[\s\S]*?)^```$/gm)].flatMap(({ groups }) =>
    (groups?.['block'] ?? '')
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .filter((line) => line.trim() !== ''),
  );
}

/** Types it in a shell in which `lachesis` is this checkout. */
export async function typeCommand(place: DemoPlace, command: string): Promise<{ code: number | null; output: string }> {
  await using shell = await startProcess({
    name: command,
    command: 'sh',
    args: ['-c', `lachesis() { "${process.execPath}" --conditions=lachesis-source "${cli}" "$@"; }; ${command}`],
    cwd: place.folder,
    env: { LACHESIS_HOME: place.home, TINKER_BASE_URL: undefined, TINKER_API_KEY: undefined },
  });
  const closed = new Promise<void>((resolve) => shell.child.once('close', () => resolve()));
  const timer = setTimeout(() => void shell.stop({ graceMs: 60_000 }), LONGEST_MS);
  const { code } = await shell.exited;
  await closed;
  clearTimeout(timer);
  return { code, output: shell.logs() };
}
