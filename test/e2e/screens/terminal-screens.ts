import { isFinalRunState } from '@lachesis/protocol';
import { homePaths } from '@lachesis/protocol/home';
import { createControlClient } from '@lachesis/sdk';
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeHome } from '../demo/demo-home.ts';
import { drawSvg } from './draw-svg.ts';
import { recordTerminal, type Recording, type RecordOptions } from './record-terminal.ts';
import type { Cell } from './terminal.ts';
import { removeFolder } from '../../kit/remove-folder.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const SCREENS = join(repository, 'docs', 'screens');
const COLUMNS = 96;
const LACHESIS = [process.execPath, '--conditions=lachesis-source', join(repository, 'packages/cli/src/main.ts')];
/** The picture is taken in the middle of the run: there is a curve to see, and something left to do. */
const STEP_SHOWN = /step 1[2-5]\/20/i;

/** Writes docs/screens: a new project, everything up for it, one run watched, and the doctor beside them. */
export async function drawTerminalScreens(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-screens-'));
  try {
    const home = await makeHome(folder, { isEmpty: false });
    const project = join(folder, 'my-agent');
    await mkdir(SCREENS, { recursive: true });
    const record = (words: readonly string[], options: Partial<RecordOptions> = {}): Promise<Recording> =>
      recordTerminal({
        command: [...LACHESIS, ...words],
        columns: COLUMNS,
        workingDirectory: project,
        env: { ...process.env, LACHESIS_HOME: home, TINKER_API_KEY: undefined, TINKER_BASE_URL: undefined },
        limitMs: 180_000,
        ...options,
      });
    const save = async (name: string, title: string, { terminal }: Recording): Promise<void> => {
      const rows = maskSecrets(terminal.read()).map((row) => hide(hide(row, home, '~/.lachesis'), homedir(), '~'));
      await writeFile(join(SCREENS, `${name}.svg`), drawSvg({ title, rows, columns: COLUMNS }));
      process.stdout.write(`\n${title}\n${terminal.readText()}\n`);
    };

    await record(['init', project], { workingDirectory: folder });
    await using up = await record(['up', '--recipe', 'first-run', '--log-level', 'warn'], {
      isShown: (text) => text.includes('Ctrl-C'),
    });
    await save('up', 'lachesis up --recipe first-run', up);
    const token = (await readFile(homePaths(home).token, 'utf8')).trim();
    const client = createControlClient({ url: 'http://127.0.0.1:8080', token });
    await client.selectEnvironment('many-vowels');
    const { run_id: run } = await client.startRun();
    {
      await using watch = await record(['runs', 'watch', run], { isShown: (text) => STEP_SHOWN.test(text) });
      await save('runs-watch', 'lachesis runs watch', watch);
    }
    // One thing to mend, so that the picture shows how it is told.
    await record(['config', 'set', 'OPENAI_API_KEY', 'sk-not-a-key']);
    await chmod(join(home, 'secrets.env'), 0o644);
    await save('doctor', 'lachesis doctor', await record(['doctor']));
    // A run goes on without the control server; this one would lose its folder.
    await client.stopRun(run);
    while (!isFinalRunState((await client.readRun(run)).status)) await sleep(500);
  } finally {
    await removeFolder(folder);
  }
}

/** A token of a home, and the code that opens its page once. */
const SECRETS = /lch_[0-9a-f-]{36}_[\w-]{43}|(?<=:8080\/#)[\w-]{22}/g;

/** A picture shows no secret, also of a home that is gone; a long one goes on in the row after. */
function maskSecrets(rows: readonly (readonly Cell[])[]): readonly (readonly Cell[])[] {
  const text = rows.map((row) => row.map((cell) => cell.text).join('')).join('');
  const secret = new Set(
    [...text.matchAll(SECRETS)].flatMap(({ 0: found, index }) =>
      Array.from({ length: found.length }, (_, place) => index + place),
    ),
  );
  let place = -1;
  return rows.map((row) =>
    row.map((cell) => {
      place += 1;
      return secret.has(place) ? { ...cell, text: '•' } : cell;
    }),
  );
}

/** The folders of this machine are nobody's business, and a picture should be the same everywhere. */
function hide(row: readonly Cell[], place: string, instead: string): readonly Cell[] {
  const at = row
    .map(({ text }) => text)
    .join('')
    .indexOf(place);
  const style = row[at]?.style;
  if (style === undefined) return row;
  return [...row.slice(0, at), ...instead.split('').map((text) => ({ text, style })), ...row.slice(at + place.length)];
}
