import { findMedian, findQuantile } from '../../../kit/quantiles.ts';
import { findJobsPeers, NO_JOBS_PEERS } from '../../../peers/jobs/find-jobs-peers.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import type { ContenderName } from '../contenders/open-contender.ts';
import { runWorkers, type WorkersRun } from '../run-workers.ts';

/** All rounds are printed; each has every contender, so that a change of the machine's pace meets all. */
const SHORT = { items: 400, chains: 60, rounds: 3 };
const FULL = { items: 4_000, chains: 400, rounds: 5 };
const STAGES = 5;
/** An item of ours is a conversation of seconds: below it the queue would begin to count. */
const LEAST = 0.4;

/** Items a second and the time of a claim, with nothing to do but the queue itself. */
export const speedScenario: Scenario = {
  name: 'speed',
  title: 'items a second and claims, beside pg-boss and DBOS over one PostgreSQL',
  async run(context) {
    const { items } = context.full ? FULL : SHORT;
    const hasPeers = findJobsPeers() !== undefined;
    const runs = await measure(context, hasPeers ? ['ours', 'pg-boss', 'dbos'] : ['ours'], items, 1);
    report(context, { runs, items, ours: 'ours', peers: ['pg-boss', 'dbos'], what: 'items a second' });
    const claims = runs.map(({ name, rounds }) => {
      const all = rounds.flatMap((round) => round.claims);
      return `${name} ${findQuantile(all, 0.99).toFixed(0)} ms (median ${findQuantile(all, 0.5).toFixed(0)})`;
    });
    context.report({ name: 'claim, p99', figure: claims.join(', '), bar: 'printed', ok: true });
  },
};

/** The same of chains of stages: improvements beside workflows. */
export const chainsScenario: Scenario = {
  name: 'chains',
  title: 'stages a second of chains of five, beside workflows of DBOS',
  async run(context) {
    const { chains } = context.full ? FULL : SHORT;
    const hasPeers = findJobsPeers() !== undefined;
    const runs = await measure(context, hasPeers ? ['our chains', 'chains of dbos'] : ['our chains'], chains, STAGES);
    const items = chains * STAGES;
    report(context, { runs, items, ours: 'our chains', peers: ['chains of dbos'], what: 'stages a second' });
  },
};

interface Measured {
  readonly name: ContenderName;
  readonly rounds: readonly WorkersRun[];
}

async function measure(
  context: ScenarioContext,
  names: readonly ContenderName[],
  items: number,
  stages: number,
): Promise<Measured[]> {
  const measured = names.map((name): { name: ContenderName; rounds: WorkersRun[] } => ({ name, rounds: [] }));
  for (let round = 0; round < (context.full ? FULL : SHORT).rounds; round += 1) {
    for (const { name, rounds } of round % 2 === 0 ? measured : measured.toReversed()) {
      const run = await runWorkers({ context, name, items, stages, workers: 2, concurrency: 8, workMs: 0, kills: 0 });
      context.log(`${name}: ${((items * stages) / run.seconds).toFixed(0)} a second`);
      rounds.push(run);
    }
  }
  return measured;
}

function report(
  context: ScenarioContext,
  {
    runs,
    items,
    ours,
    peers,
    what,
  }: { runs: Measured[]; items: number; ours: ContenderName; peers: ContenderName[]; what: string },
): void {
  const rates = new Map(runs.map(({ name, rounds }) => [name, rounds.map(({ seconds }) => items / seconds)]));
  const own = rates.get(ours) ?? [];
  const show = (values: readonly number[]): string => values.map((value) => value.toFixed(0)).join(', ');
  context.report({
    name: `${what}, ours`,
    figure: `${show(own)}; ${runs[0]?.rounds.reduce((sum, { lost, twice }) => sum + lost + twice, 0)} lost or ended twice`,
    bar: '0 lost or ended twice',
    ok: runs[0]?.rounds.every(({ lost, twice }) => lost === 0 && twice === 0) === true,
  });
  for (const peer of peers) {
    const name = `${what}, ours beside ${peer}`;
    const theirs = rates.get(peer);
    if (theirs === undefined) {
      context.reportNotRun({ name, why: NO_JOBS_PEERS, bar: `≥ ${LEAST}×` });
      continue;
    }
    const ratio = findMedian(own) / findMedian(theirs);
    context.report({
      name,
      figure: `${ratio.toFixed(2)}× (theirs ${show(theirs)})`,
      bar: `≥ ${LEAST}×`,
      ok: ratio >= LEAST,
    });
  }
}
