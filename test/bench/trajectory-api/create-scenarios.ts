import { readCommitNumber } from '../../kit/read-commit-number.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { alternate } from './alternate.ts';
import type { AlternateOptions, Pair } from './alternate.ts';
import { CASES } from './cases.ts';
import { OUR_NAMES } from './contenders.ts';
import type { OurName, StartContender } from './contenders.ts';
import { estimateMemory, FULL_DEPTH, SHORT_DEPTH } from './estimate-memory.ts';
import { showThousandGpus } from './native/show-thousand-gpus.ts';
import { reportAtLeast, reportAtMost } from './report-comparison.ts';
import { reportCpu } from './report-cpu.ts';

export interface CreateShowsOptions {
  /** How servers are started for a show. */
  readonly start: (context: ScenarioContext) => StartContender;
}

/** Every case is 16 sequences to a group, 8 groups to a batch, gzip both ways, ours beside the real `run-api`. */
export function createScenarios({ start }: CreateShowsOptions): Scenario[] {
  const measure = async (options: Omit<AlternateOptions, 'start'>): Promise<[OurName, readonly Pair[]][]> => {
    const pairs = await alternate({ ...options, start: start(options.context) });
    return [...pairs].filter(([, measured]) => measured.length > 0);
  };
  return [
    {
      name: 'steady',
      title: '16 environments push 16×1024 groups without pause while a trainer drains',
      run: async (context) => {
        for (const [name, pairs] of await measure({
          ...{ context, caseName: 'steady', load: CASES.steady(context.full), names: pickEither(context) },
        })) {
          const common = { context, pairs, isTimed: true };
          await reportAtLeast({
            ...common,
            name: `steady ${name} delivered`,
            times: 20,
            pick: (result) => result.deliveredPerSecond,
            unit: 'groups/s',
          });
          await reportAtMost({
            ...common,
            name: `steady ${name} median /batch`,
            part: 10,
            pick: (result) => result.latencies.batch.p50,
            unit: 'ms',
          });
        }
      },
    },
    {
      name: 'paced',
      title: 'the same, but environments pause as BaseEnv does when three batches wait',
      run: async (context) => {
        for (const [name, pairs] of await measure({
          context,
          caseName: 'paced',
          load: CASES.paced(context.full),
          names: pickNames(context),
        })) {
          await reportAtLeast({
            ...{ context, pairs, name: `paced ${name} delivered`, times: 8, unit: 'groups/s', isTimed: true },
            pick: (result) => result.deliveredPerSecond,
          });
        }
      },
    },
    {
      name: 'drain',
      title: 'a trainer takes what was pushed before, nobody pushes',
      run: async (context) => {
        for (const [name, pairs] of await measure({
          context,
          caseName: 'drain',
          load: CASES.drain(context.full),
          names: pickNames(context),
        })) {
          await reportAtLeast({
            ...{ context, pairs, name: `drain ${name} delivered`, times: 8, unit: 'groups/s', isTimed: true },
            pick: (result) => result.deliveredPerSecond,
          });
        }
      },
    },
    {
      name: 'ingest',
      title: '16 environments push 16×1024 groups, nobody drains; what one group costs us, part by part',
      run: async (context) => {
        for (const [name, pairs] of await measure({
          context,
          caseName: 'ingest',
          load: CASES.ingest(context.full),
          names: pickNames(context),
        })) {
          await reportAtLeast({
            ...{ context, pairs, name: `ingest ${name} acknowledged`, times: 1.5, unit: 'groups/s', isTimed: true },
            pick: (result) => result.ackedPerSecond,
          });
          await reportCpu({ context, name: `ingest ${name} CPU`, results: pairs.map(({ ours }) => ours) });
        }
      },
    },
    {
      name: 'large',
      title: 'a trainer takes batches of 16×8192 groups',
      run: async (context) => {
        for (const [name, pairs] of await measure({
          context,
          caseName: 'large',
          load: CASES.large(context.full),
          names: pickNames(context),
        })) {
          await reportAtMost({
            ...{ context, pairs, name: `large ${name} median /batch`, part: 30, unit: 'ms', isTimed: true },
            pick: (result) => result.latencies.batch.p50,
            note: `${pairs[0]?.ours.batches} and ${pairs[0]?.original.batches} batches a run`,
          });
        }
      },
    },
    {
      name: 'memory',
      title: `memory of all server processes with ${FULL_DEPTH} buffered 16×1024 groups`,
      run: async (context) => {
        const depth = context.full ? FULL_DEPTH : SHORT_DEPTH;
        const measured = await measure({
          context,
          caseName: 'memory',
          load: CASES.memory(depth),
          ourLoad: CASES.memory(FULL_DEPTH),
          names: pickNames(context),
          // Others take time from a server, not memory.
          shortRounds: 1,
        });
        for (const [name, pairs] of measured) {
          await reportAtMost({
            ...{
              context,
              pairs,
              name: `memory ${name} RSS at ${FULL_DEPTH} groups`,
              part: 10,
              unit: 'MB',
              isTimed: false,
            },
            pick: (result) => estimateMemory(result) / 2 ** 20,
            note: describeDepth(pairs, depth),
          });
        }
      },
    },
    showThousandGpus({ start }),
  ];
}

/** The full form shows every case on both databases; the short one shows the hardest case on one of them, which the commit chooses. */
function pickEither({ full }: ScenarioContext): readonly OurName[] {
  return full ? OUR_NAMES : OUR_NAMES.filter((_, index) => index === readCommitNumber() % OUR_NAMES.length);
}

/** And the rest on SQLite. */
function pickNames({ full }: ScenarioContext): readonly OurName[] {
  return full ? OUR_NAMES : ['sqlite'];
}

function describeDepth(pairs: readonly Pair[], depth: number): string {
  const peak = Math.max(...pairs.map(({ ours }) => ours.rss.peakBytes)) / 2 ** 20;
  const original =
    depth === FULL_DEPTH
      ? 'original measured there too'
      : `original measured at ${depth} and extended by its own slope`;
  return `ours measured at ${FULL_DEPTH} with peak ${peak.toFixed(0)}, ${original}`;
}
