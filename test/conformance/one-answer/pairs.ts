import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { reportAnswers } from '../../kit/report-answers.ts';
import { startControlServer } from '../../kit/start-control-server.ts';
import type { Show } from '../../shows/show.ts';
import { listCommands } from './commands.ts';
import { makeHome } from './make-home.ts';

const CLI = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
/** A machine of two cores. */
const AT_ONCE = 2;

interface Answer {
  readonly code: unknown;
  readonly out: string;
}

type Ask = (words: readonly string[]) => Promise<Answer>;

export const pairsShow: Show = {
  name: 'pairs',
  title: 'each command with --json, on a local home and through a server over it: the same bytes and exit code',
  async run(context) {
    const home = await context.scratch();
    const elsewhere = await context.scratch();
    const commands = listCommands(await makeHome(home));
    const local: Ask = (words) => type([...words, '--json', '--home', home], elsewhere);
    const here = await askAll(commands, local);
    const answers = join(await context.scratch(), 'answers');
    const server = await startControlServer({ home, answers });
    context.defer(async () => void (await server.process.stop()));
    // Its own home is empty: what a command finds without the server is nothing.
    const remote: Ask = (words) => type([...words, '--json', '--url', server.url], elsewhere);
    const there = await askAll(commands, remote);
    const apart = commands.filter((_, index) => !isSame(here[index], there[index]));
    for (const words of apart) context.log(`${words.join(' ')}: two answers`);
    context.report({
      name: 'commands that give one answer',
      figure: `${commands.length - apart.length} of ${commands.length}${apart.length === 0 ? '' : `, not: ${apart.map((words) => words.join(' ')).join('; ')}`}`,
      bar: 'all',
      ok: apart.length === 0,
    });
    await reportAnswers(context, answers);
    const found = here.filter(({ code }) => code === 0).length;
    context.report({
      ...{ name: 'of those with something to show', figure: `${found} of ${commands.length}`, bar: '≥ 10' },
      ok: found >= 10,
    });

    // The seeded fault: a command that goes to the store by itself, whatever it was told.
    const stray: Ask = (words) => type([...words, '--json', '--home', elsewhere], elsewhere);
    const asked = commands.filter(([noun], index) => commands.findIndex(([other]) => other === noun) === index);
    const strayed = await askAll(asked, stray);
    const caught = asked.filter((words, index) => !isSame(here[commands.indexOf(words)], strayed[index]));
    context.report({
      ...{ name: 'commands that go to the store by themselves', figure: `${caught.length} of ${asked.length} caught` },
      ...{ bar: 'all', ok: caught.length === asked.length },
    });
  },
};

const isSame = (left: Answer | undefined, right: Answer | undefined): boolean =>
  left !== undefined && left.code === right?.code && left.out === right?.out;

async function askAll(commands: readonly string[][], ask: Ask): Promise<Answer[]> {
  const answers: Answer[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < commands.length; index = next++) answers[index] = await ask(commands[index] ?? []);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return answers;
}

function type(words: readonly string[], home: string): Promise<Answer> {
  const env = { ...process.env, LACHESIS_HOME: home, LACHESIS_AUTHOR: 'ada' };
  for (const name of ['DATABASE_URL', 'LACHESIS_CONTROL_URL', 'LACHESIS_TOKEN'] as const)
    Reflect.deleteProperty(env, name);
  return new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=lachesis-source', CLI, ...words], { env, cwd: home }, (error, out) =>
      resolve({ code: error?.code ?? 0, out }),
    );
  });
}
