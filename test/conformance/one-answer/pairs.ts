import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startCommandTypist } from '../../kit/command-typist.ts';
import { createTestDatabase } from '../../kit/create-test-database.ts';
import { reportAnswers } from '../../kit/report-answers.ts';
import { startControlServer } from '../../kit/start-control-server.ts';
import { findPostgresUrl } from '../../peers/postgres/find-postgres-url.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { listSteps, type Step } from './commands.ts';
import { makeHome, type Known } from './make-home.ts';
import { reportMutants } from './mutants/report-mutants.ts';
import { isSame, liveThrough, show, type Side, type SideAnswer } from './side.ts';

const FEWEST_PAIRS = 80;
/** What both sides take out of what they record. */
const RULES = { LACHESIS_REDACT_PATTERN: String.raw`ACME-\d+`, LACHESIS_AUTHOR: 'ada' };
/** Nothing of who runs the suite reaches a command. */
const NOTHING = {
  ...{ DATABASE_URL: undefined, LACHESIS_URL: undefined, LACHESIS_CONTROL_URL: undefined, RL_API_URL: undefined },
  LACHESIS_TOKEN: undefined,
};

/** Two homes that hold the same, one to be opened and one to be served. */
interface Twins {
  readonly known: Known;
  readonly here: Place;
  readonly there: Place;
  /** One more, in files, which nobody opens. */
  readonly spare?: string;
}

interface Place {
  readonly home: string;
  readonly databaseUrl: string | undefined;
}

export const createPairsScenario = (database: 'postgres' | 'sqlite'): Scenario => ({
  name: `pairs-${database}`,
  title: `each command with --json, on a local home and through a server with tokens, on ${database}: the same bytes and exit code`,
  async run(context) {
    const began = performance.now();
    const twins = database === 'sqlite' ? await makeFiles(context) : await makeDatabases(context);
    const { known, there } = twins;
    const steps = listSteps(known);
    const answers = join(await context.scratch(), 'answers');
    const server = await startControlServer({
      ...{ home: there.home, answers, wantsTokens: true },
      env: { ...NOTHING, ...RULES, DATABASE_URL: there.databaseUrl },
    });
    context.defer(async () => void (await server.process.stop()));
    const token = (await readFile(join(there.home, 'token'), 'utf8')).trim();
    const [local, remote] = await Promise.all([
      openSide(context, twins.here.home, () => ({
        ...{ flags: [], env: { LACHESIS_HOME: twins.here.home, DATABASE_URL: twins.here.databaseUrl } },
      })),
      // Its own home is empty: what a command finds without the server is nothing. Named by turns as people do.
      openSide(context, there.home, (index, empty) =>
        index % 2 === 0
          ? { flags: ['--server', server.url, '--token', token], env: { LACHESIS_HOME: empty } }
          : { flags: [], env: { LACHESIS_HOME: empty, LACHESIS_URL: server.url, LACHESIS_TOKEN: token } },
      ),
    ]);
    const [mine, theirs] = await Promise.all([liveThrough(local, steps), liveThrough(remote, steps)]);
    const apart = steps.filter((_, index) => !isSame(mine[index], theirs[index]));
    for (const each of apart) {
      const index = steps.indexOf(each);
      context.log(`${each.words.join(' ')}: two answers\n  here  ${show(mine[index])}\n  there ${show(theirs[index])}`);
    }
    context.report({
      name: 'commands that give one answer',
      figure: `${steps.length - apart.length} of ${steps.length}${apart.length === 0 ? '' : `, not: ${apart.map(({ words }) => words.join(' ')).join('; ')}`}`,
      bar: `all, of ≥ ${FEWEST_PAIRS}`,
      ok: apart.length === 0 && steps.length >= FEWEST_PAIRS,
    });
    const done = mine.filter(({ code }) => code === 0).length;
    context.report({
      ...{ name: 'of those done and not refused', figure: `${done} of ${steps.length}`, bar: '≥ 60' },
      ok: done >= 60,
    });
    const refused = mine.flatMap((answer, index) => (answer.code === 0 ? [] : [theirs[index]?.error === answer.error]));
    context.report({
      name: 'refusals in the same words',
      figure: `${refused.filter(Boolean).length} of ${refused.length}`,
      ...{ bar: 'all', ok: refused.length > 0 && refused.every(Boolean) },
    });
    const told = steps.flatMap(({ words, says, code = 1 }, index) =>
      says === undefined ? [] : [{ words, isSaid: [mine, theirs].every((side) => isRefused(side[index], says, code)) }],
    );
    for (const { words } of told.filter(({ isSaid }) => !isSaid)) {
      const index = steps.findIndex((each) => each.words === words);
      context.log(`${words.join(' ')}: not said\n  here  ${show(mine[index])}\n  there ${show(theirs[index])}`);
    }
    context.report({
      name: 'refusals that say what to do, on both sides',
      figure: `${told.filter(({ isSaid }) => isSaid).length} of ${told.length}`,
      ...{ bar: 'all', ok: told.length > 0 && told.every(({ isSaid }) => isSaid) },
    });
    await reportAnswers(context, answers);
    await reportStrays(context, { steps, theirs, typist: remote.typist });
    if (twins.spare !== undefined) {
      await reportMutants(context, { known, home: twins.spare, env: { ...NOTHING, ...RULES } });
    }
    const seconds = (performance.now() - began) / 1000;
    context.log(`${seconds.toFixed(1)} s`);
  },
});

/** The seeded fault: a command that goes to the store by itself, whatever it was told. */
async function reportStrays(
  context: ScenarioContext,
  { steps, theirs, typist }: { steps: readonly Step[]; theirs: readonly SideAnswer[]; typist: Side['typist'] },
): Promise<void> {
  const empty = await context.scratch();
  const folder = await context.scratch();
  const nameOf = ({ words }: Step): string =>
    words.slice(0, words[0] === 'data' && words[1] === 'sets' ? 3 : words[0] === 'lineage' ? 1 : 2).join(' ');
  // Of each command the first that was done and names nothing of the one before it.
  const chosen = new Map<string, number>();
  for (const [index, each] of steps.entries()) {
    const isPlain = theirs[index]?.code === 0 && !each.words.some((word) => word.startsWith('@'));
    if (isPlain && !chosen.has(nameOf(each))) chosen.set(nameOf(each), index);
  }
  const strayed = await liveThrough(
    { typist, home: empty, folder, place: () => ({ flags: [], env: { LACHESIS_HOME: empty } }) },
    [...chosen.values()].flatMap((index) => steps[index] ?? []),
  );
  const missed = [...chosen].filter(([, index], at) => isSame(theirs[index], strayed[at])).map(([name]) => name);
  context.report({
    name: 'commands that go to the store by themselves',
    figure: `${chosen.size - missed.length} of ${chosen.size} caught${missed.length === 0 ? '' : `, not: ${missed.join('; ')}`}`,
    ...{ bar: 'all', ok: chosen.size > 0 && missed.length === 0 },
  });
}

async function openSide(
  context: ScenarioContext,
  home: string,
  place: (index: number, empty: string) => ReturnType<Side['place']>,
): Promise<Side> {
  const typist = await startCommandTypist();
  context.defer(async () => {
    await typist[Symbol.asyncDispose]();
  });
  const [folder, empty] = [await context.scratch(), await context.scratch()];
  return {
    ...{ typist, home, folder },
    place(index) {
      const { flags, env } = place(index, empty);
      return { flags, env: { ...NOTHING, ...RULES, ...env } };
    },
  };
}

const isRefused = (answer: SideAnswer | undefined, says: string, code: number): boolean =>
  answer?.code === code && answer.out === '' && answer.error.includes(says);

async function makeFiles(context: ScenarioContext): Promise<Twins> {
  const [home, twin, spare] = [await context.scratch(), await context.scratch(), await context.scratch()];
  const known = await makeHome({ home, databaseUrl: undefined });
  for (const copy of [twin, spare]) await cp(home, copy, { recursive: true });
  return { known, here: { home, databaseUrl: undefined }, there: { home: twin, databaseUrl: undefined }, spare };
}

async function makeDatabases(context: ScenarioContext): Promise<Twins> {
  const serverUrl = await findPostgresUrl(context);
  const [home, twin] = [await context.scratch(), await context.scratch()];
  const first = await createTestDatabase({ serverUrl, prefix: 'one_answer' });
  context.defer(() => first.drop());
  const known = await makeHome({ home, databaseUrl: first.url });
  await mkdir(twin, { recursive: true });
  await cp(home, twin, { recursive: true });
  const second = await createTestDatabase({ serverUrl, prefix: 'one_answer', template: first.name });
  context.defer(() => second.drop());
  return { known, here: { home, databaseUrl: first.url }, there: { home: twin, databaseUrl: second.url } };
}
