import { z } from 'zod';
import type { TrainingRun } from '@lachesis/store';
import { PreflightFailure } from './failure.ts';
import type { PreflightCheck } from './run-preflight.ts';

/** What `lachesis env check --json` prints. */
const checkLinesSchema = z.array(
  z.object({ name: z.string(), verdict: z.enum(['ok', 'open', 'wrong']), detail: z.string() }),
);

export type EnvironmentCheckLine = z.infer<typeof checkLinesSchema>[number];

export interface EnvironmentCheckParts {
  /** Checks an environment with the settings of the run, in a process of its own; undefined for one we cannot load. */
  check: (run: TrainingRun, signal: AbortSignal) => Promise<unknown>;
}

/** Loading a data set takes its time. */
const LIMIT_MS = 300_000;

/** The environment loads, and one group of it is rolled out and scored, with replies that need no model. */
export function createEnvironmentChecks({ check }: EnvironmentCheckParts): {
  checks: PreflightCheck[];
  /** The tools it offers; undefined when it offers none, or nobody knows. */
  findTools: (run: TrainingRun, signal: AbortSignal) => Promise<string | undefined>;
} {
  const lines = new WeakMap<TrainingRun, Promise<EnvironmentCheckLine[] | undefined>>();
  /** Both steps read the same list: the environment is opened once. */
  const linesOf = (run: TrainingRun, signal: AbortSignal): Promise<EnvironmentCheckLine[] | undefined> => {
    const known = lines.get(run);
    if (known !== undefined) return known;
    const made = check(run, signal).then((value) => (value === undefined ? undefined : checkLinesSchema.parse(value)));
    lines.set(run, made);
    return made;
  };
  const skipped = {
    state: 'skipped' as const,
    message: 'It is not written in TypeScript: it is tried when it starts.',
  };
  const findTools = async (run: TrainingRun, signal: AbortSignal): Promise<string | undefined> =>
    (await linesOf(run, signal))?.find(({ name }) => name === 'offers tools')?.detail;
  const checks: PreflightCheck[] = [
    {
      name: 'environment',
      limitMs: LIMIT_MS,
      fix: 'Try it alone: `lachesis env check <name>`.',
      async run(run, signal) {
        const found = await linesOf(run, signal);
        if (found === undefined) return skipped;
        const wrong = found.find(({ name, verdict }) => verdict === 'wrong' && LOADING.has(name));
        if (wrong !== undefined) throw notFit(run, wrong);
        return { state: 'passed', message: found.find(({ name }) => name === 'loads')?.detail ?? 'It loads.' };
      },
    },
    {
      name: 'rollout',
      limitMs: LIMIT_MS,
      fix: 'Try it alone: `lachesis env check <name>`.',
      async run(run, signal) {
        const found = await linesOf(run, signal);
        if (found === undefined) return skipped;
        const wrong = found.find(({ name, verdict }) => verdict === 'wrong' && SCORING.has(name));
        if (wrong !== undefined) throw notFit(run, wrong);
        const groups = found.find(({ name }) => name === 'makes valid groups');
        if (groups === undefined) return { state: 'skipped', message: 'No group was made.' };
        return { state: 'passed', message: `Rollouts are scored: ${groups.detail}` };
      },
    },
  ];
  return { checks, findTools };
}

const LOADING = new Set(['loads', 'gives items']);
/** An evaluation or a split that is wrong does not keep a run from training; `lachesis env check` tells it. */
const SCORING = new Set(['grades its own examples', 'makes valid groups']);

const notFit = ({ environment }: TrainingRun, { name, detail }: EnvironmentCheckLine): PreflightFailure =>
  new PreflightFailure({
    message: `The environment ${environment} fails at "${name}": ${detail}.`,
    fix: `Mend it and try it alone: \`lachesis env check ${environment}\`.`,
  });
