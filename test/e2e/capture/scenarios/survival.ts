import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LibraryClient } from '@lachesis/sdk';
import { startProcess, type RunningProcess } from '../../../kit/start-process.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { startTextModel } from '../start-text-model.ts';
import { startUp } from '../start-up.ts';

const APP = path.join(import.meta.dirname, '../agents/steady-app.ts');
const GAP_TURNS = 6;
const LOST_TURN = 3;

interface App {
  readonly process: RunningProcess;
  /** How many turns it has said that it has. */
  acknowledged(): number;
}

async function startApp(options: {
  context: ScenarioContext;
  url: string;
  home: string;
  args: readonly string[];
}): Promise<App> {
  const { context, url, home, args } = options;
  let turns = 0;
  const running = await startProcess({
    name: 'the application',
    command: process.execPath,
    args: ['--conditions=lachesis-source', APP, url, ...args],
    env: { LACHESIS_HOME: home, LACHESIS_URL: undefined },
    onLine: () => (turns += 1),
  });
  context.defer(async () => void (await running.stop({ signal: 'SIGKILL' })));
  return { process: running, acknowledged: () => turns };
}

export const survivalScenario: Scenario = {
  name: 'survival',
  title: 'an application that is frozen and killed loses no acknowledged turn, and a lost record is reported',
  async run(context) {
    const home = await context.scratch();
    const text = await startTextModel();
    context.defer(() => text.close());

    // Before the server is there: the record is taken out of the outbox, as a broken disk would.
    const early = await startApp({ context, url: text.url, home, args: ['gap', 'steady', String(GAP_TURNS)] });
    await early.process.exited;
    await loseRecord(home);
    const up = await startUp({ context, home, args: ['--upstream-url', text.url] });
    const { summary, gaps } = await waitForTurns(up.library, 'gap', GAP_TURNS - 1);
    context.report({
      name: 'a lost record',
      figure: `${summary?.turn_count} turns, ${summary?.missing_records} missing: ${gaps.map(({ from, to }) => `${from}–${to}`).join()}`,
      bar: `${GAP_TURNS - 1} turns, 1 missing: ${LOST_TURN}–${LOST_TURN}`,
      ok:
        summary?.missing_records === 1 && gaps.length === 1 && gaps[0]?.from === LOST_TURN && gaps[0].to === LOST_TURN,
    });

    const real = await killApp(context, text.url, home, 'killed', 'steady');
    const kept = await waitForTurns(up.library, 'killed', real);
    const turns = kept.summary?.turn_count ?? 0;
    context.report({
      name: 'SIGSTOP, SIGCONT, kill -9',
      figure: `${real} turns acknowledged, ${turns} kept, ${kept.gaps.length} gaps`,
      bar: 'kept ≥ acknowledged, 0 gaps',
      ok: real > 20 && turns >= real && kept.gaps.length === 0,
    });

    const late = await killApp(context, text.url, home, 'late', 'late');
    const lost = late - ((await waitForTurns(up.library, 'late', late, 6)).summary?.turn_count ?? 0);
    context.report({
      name: 'mutant that writes later',
      figure: `${lost} of ${late} acknowledged turns lost`,
      bar: 'caught: > 0',
      ok: lost > 0,
    });
  },
};

/** Freezes it in the middle of its work, lets it go on, kills it in the middle again; returns what it had said. */
async function killApp(
  context: ScenarioContext,
  url: string,
  home: string,
  trajectory: string,
  mode: string,
): Promise<number> {
  const app = await startApp({ context, url, home, args: [trajectory, mode] });
  const waitFor = async (turns: number): Promise<void> => {
    for (let tries = 0; tries < 300 && app.acknowledged() < turns; tries += 1) await sleep(50);
  };
  await waitFor(10);
  app.process.signal('SIGSTOP');
  await sleep(1_500);
  app.process.signal('SIGCONT');
  await waitFor(app.acknowledged() + 15);
  app.process.signal('SIGKILL');
  await app.process.exited;
  // What it wrote to its pipe before it died is still on its way.
  await sleep(200);
  return app.acknowledged();
}

async function loseRecord(home: string): Promise<void> {
  const outbox = path.join(home, 'outbox');
  const [recorder = ''] = await readdir(outbox);
  const [segment = ''] = await readdir(path.join(outbox, recorder));
  const file = path.join(outbox, recorder, segment);
  const lines = (await readFile(file, 'utf8')).split('\n');
  await writeFile(file, lines.toSpliced(LOST_TURN, 1).join('\n'));
}

async function waitForTurns(library: LibraryClient, key: string, turns: number, seconds = 20) {
  for (let tries = 0; ; tries += 1) {
    const { trajectories } = await library.listTrajectories({ filter: { key } });
    const [summary] = trajectories;
    if ((summary?.turn_count ?? 0) >= turns || tries >= seconds * 4) {
      const detail = summary && (await library.readTrajectory(summary.trajectory_id));
      return { summary, gaps: detail?.gaps ?? [] };
    }
    await sleep(250);
  }
}
