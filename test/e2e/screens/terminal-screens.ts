import { isFinalRunState } from '@lachesis/protocol';
import { createControlClient } from '@lachesis/sdk';
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
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
      const rows = terminal.read().map((row) => hide(hide(row, home, '~/.lachesis'), homedir(), '~'));
      await writeFile(join(SCREENS, `${name}.svg`), drawSvg({ title, rows, columns: COLUMNS }));
      process.stdout.write(`\n${title}\n${terminal.readText()}\n`);
    };

    await record(['init', project], { workingDirectory: folder });
    await using up = await record(['up', '--recipe', 'first-run', '--log-level', 'warn'], {
      isShown: (text) => text.includes('Ctrl-C'),
    });
    await save('up', 'lachesis up --recipe first-run', up);
    const client = createControlClient({ url: 'http://127.0.0.1:8080' });
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
