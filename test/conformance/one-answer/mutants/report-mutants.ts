import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startCommandTypist } from '../../../kit/command-typist.ts';
import { startControlServer } from '../../../kit/start-control-server.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { beginningOf, step, type Step } from '../commands.ts';
import type { Known } from '../make-home.ts';
import { isSame, liveThrough, show, type Side, type SideAnswer } from '../side.ts';

const HOOK = new URL('skip-services.ts', import.meta.url).href;

/** A service that a command does without and goes to the store by itself, and what has to show it. */
interface Mutant {
  /** As `skipped-services.ts` has it. */
  readonly skips: string;
  readonly rule: string;
  /** Each has another answer than through the server. */
  readonly cases: readonly Step[];
}

/** By the names of what went wrong once, when commands had ways of their own into the store. */
const listMutants = ({ trajectoryId, key, others, modelId }: Known): Mutant[] => [
  {
    ...{ skips: 'ingestRecords', rule: 'what the settings take out is in no record' },
    cases: [
      { ...step('trajectories', 'search', 'ACME'), leave: { recorder: 'm-1', content: 'ACME-4711 calls' } },
      {
        ...step('data', 'export', 'jsonl', '-o', 'm-1.jsonl', '--key', 'm-1-too'),
        ...{ leave: { recorder: 'm-1-too', content: 'ACME-4711 calls' }, writes: 'm-1.jsonl' },
      },
    ],
  },
  {
    ...{ skips: 'drainOutboxes', rule: 'a call of a moment ago is there' },
    cases: [
      { ...step('trajectories', 'list', '--key', 'm-2'), leave: { recorder: 'm-2', content: 'a moment ago' } },
      {
        ...step('data', 'sets', 'make', 'fresh', '--key', 'm-2-too'),
        leave: { recorder: 'm-2-too', content: 'a moment ago' },
      },
    ],
  },
  {
    ...{ skips: 'addFeedback', rule: 'feedback is about what is there, by id, its beginning or key' },
    cases: [
      step('feedback', 'add', trajectoryId, '--over', 'nope-123'),
      // The command looks up the first name by itself.
      step('feedback', 'add', trajectoryId, '--over', beginningOf(others[0] ?? '')),
      step('feedback', 'add', others[0] ?? '', '--over', key),
    ],
  },
  {
    ...{ skips: 'findTrajectoryId', rule: 'a trajectory is named by the beginning of its id, or its key' },
    cases: [
      step('trajectories', 'show', key),
      step('trajectories', 'tag', beginningOf(others[0] ?? ''), '--add', 'x'),
      step('trajectories', 'show', trajectoryId.slice(0, 8)),
    ],
  },
  {
    ...{ skips: 'findJobName', rule: 'a job is named by the beginning of its name' },
    cases: [step('batch', 'show', 'my_r'), step('batch', 'show', 'my_'), step('batch', 'list', '--before', 'my_o')],
  },
  {
    ...{ skips: 'redactRow', rule: 'what the settings take out is in no row of a file' },
    cases: [{ ...step('data', 'import', 'secret.jsonl', '--name', 'secret'), brings: 'secret.jsonl' }],
  },
  {
    ...{
      skips: 'makeLibraryDataset',
      rule: 'a data set has a name that can be typed, and is made as it was asked for',
    },
    cases: [
      step('data', 'sets', 'make', 'bad name', '--since', '7d'),
      step('data', 'sets', 'make', 'dear', '--min-reward', '0.5', '--weights', 'reward', '--mask', 'last-reply'),
      step('data', 'sets', 'make', 'kept-back', '--user', 'zoe', '--held-out'),
    ],
  },
  {
    ...{ skips: 'openExport', rule: 'what people did not allow, and what is held out, leaves by no export' },
    cases: [
      { ...step('data', 'export', 'jsonl', '-o', 'm-7.jsonl', '--since', '7d'), writes: 'm-7.jsonl' },
      step('data', 'export', 'jsonl', '-o', 'no.jsonl', '--dataset', 'exam'),
    ],
  },
  {
    ...{ skips: 'promoteRegisteredModel', rule: 'a model is named by the beginning of its id' },
    cases: [step('models', 'promote', beginningOf(modelId), '--reason', 'better', '--by', 'ada')],
  },
];

/** Lives through the cases of each mutant without a server, on a home of its own, and compares with a server over another. */
export async function reportMutants(
  context: ScenarioContext,
  options: {
    known: Known;
    /** Made, and opened by nobody. */
    home: string;
    env: Readonly<Record<string, string | undefined>>;
  },
): Promise<void> {
  const { known, home, env } = options;
  const there = await copy(context, home);
  const server = await startControlServer({ home: there, wantsTokens: true, env });
  context.defer(async () => void (await server.process.stop()));
  const token = (await readFile(join(there, 'token'), 'utf8')).trim();
  const typist = await startCommandTypist({ hooks: [HOOK] });
  context.defer(async () => {
    await typist[Symbol.asyncDispose]();
  });
  const live = async (one: Step, place: Record<string, string>, of: string): Promise<SideAnswer | undefined> => {
    const folder = await context.scratch();
    const side: Side = {
      ...{ typist, folder, home: of },
      place: () => ({ flags: [], env: { ...env, ...place } }),
    };
    return (await liveThrough(side, [one]))[0];
  };
  const [empty, whole] = [await context.scratch(), await copy(context, home)];
  const [missed, healthy]: [string[], string[]] = [[], []];
  let cases = 0;
  const remote = { LACHESIS_HOME: empty, LACHESIS_URL: server.url, LACHESIS_TOKEN: token };
  for (const { skips, cases: steps } of listMutants(known)) {
    for (const one of steps) {
      cases += 1;
      const name = `${skips}: ${one.words.join(' ')}`;
      // What went before is behind all three, and went as it should: each case has to show the fault by itself.
      const broken = await copy(context, whole);
      const theirs = await live(one, remote, there);
      const mine = await live(one, { LACHESIS_HOME: whole }, whole);
      const strayed = await live(one, { LACHESIS_HOME: broken, LACHESIS_TEST_SKIPPED: skips }, broken);
      if (isSame(theirs, strayed)) missed.push(name);
      if (isSame(theirs, mine)) continue;
      healthy.push(name);
      context.log(`${name}: two answers\n  here  ${show(mine)}\n  there ${show(theirs)}`);
    }
  }
  context.report({
    name: 'cases of commands that skip one service and go to the store',
    figure: `${cases - missed.length} of ${cases} caught, of ${listMutants(known).length} services${missed.length === 0 ? '' : `; not: ${missed.join('; ')}`}`,
    ...{ bar: 'all', ok: cases > 0 && missed.length === 0 },
  });
  context.report({
    name: 'the same cases with every service in its place',
    figure: `${cases - healthy.length} of ${cases} give one answer`,
    ...{ bar: 'all', ok: healthy.length === 0 },
  });
}

async function copy(context: ScenarioContext, home: string): Promise<string> {
  const made = await context.scratch();
  await cp(home, made, { recursive: true });
  return made;
}
