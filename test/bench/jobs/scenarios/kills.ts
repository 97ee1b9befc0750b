import { findJobsPeers, NO_JOBS_PEERS } from '../../../peers/jobs/find-jobs-peers.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import type { ContenderName } from '../contenders/open-contender.ts';
import { type RunWorkersOptions, runWorkers, type WorkersRun } from '../run-workers.ts';

const SHORT = { items: 120, chains: 24, kills: 3 };
const FULL = { items: 2_000, chains: 400, kills: 40 };
/** Long enough that a kill meets work under way. */
const WORK_MS = 50;
const STAGES = 5;
const GONE = { kills: 1, replaces: false };
/** Long after every claim has run out: a peer that has not gone on by then does not. */
const GONE_MS = 60_000;
const BAR = '0 lost, 0 ended twice';

/** kill -9 of workers, one after the other, while the queue is emptied. */
export const killsScenario: Scenario = {
  name: 'kills',
  title: 'workers are killed and others take their places: nothing is lost, and nothing is ended twice',
  async run(context) {
    const { items, chains, kills } = context.full ? FULL : SHORT;
    const shared = { context, kills, workers: 2, concurrency: 8, workMs: WORK_MS };
    const run = (name: ContenderName, more: Partial<RunWorkersOptions> = {}): Promise<WorkersRun> =>
      name.includes('chains')
        ? runWorkers({ ...shared, name, items: chains, stages: STAGES, ...more })
        : runWorkers({ ...shared, name, items, ...more });
    for (const name of ['ours', 'our chains'] as const) {
      const ended = await run(name);
      context.report({
        name: `kills, ${name}`,
        figure: describe(ended),
        bar: BAR,
        ok: isRight(ended) && ended.kills === kills,
      });
    }
    const gone = await run('ours', GONE);
    context.report({ name: 'one of two gone for good, ours', figure: describe(gone), bar: BAR, ok: isRight(gone) });
    const fault = await run('ours', { endsFirst: true });
    context.report({
      name: 'fault: an item is ended before its work',
      figure: `${describe(fault)}: ${isRight(fault) ? 'not caught' : 'caught'}`,
      ...{ bar: 'caught', ok: !isRight(fault) },
    });
    for (const name of ['pg-boss', 'dbos', 'chains of dbos'] as const) {
      if (findJobsPeers() === undefined) {
        context.reportNotRun({ name: `kills, ${name}`, why: NO_JOBS_PEERS, bar: 'printed' });
        continue;
      }
      context.report({ name: `kills, ${name}`, figure: describe(await run(name)), bar: 'printed', ok: true });
      const left = await run(name, { ...GONE, timeoutMs: GONE_MS });
      context.report({ name: `one of two gone for good, ${name}`, figure: describe(left), bar: 'printed', ok: true });
    }
  },
};

const isRight = ({ lost, twice }: WorkersRun): boolean => lost === 0 && twice === 0;

const describe = ({ kills, lost, twice, again }: WorkersRun): string =>
  `${kills} kills, ${lost} lost, ${twice} ended twice, ${again} begun again`;
