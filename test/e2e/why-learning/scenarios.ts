import { ensureTinyModel } from '@lachesis/tinker/engine';
import { checkTemplateTools, loadTokenizer } from '@lachesis/sdk/render';

import { LEARNING_JUDGES } from '../../../packages/server/src/services/runs/why/learning/judge-learning.ts';
import { findPeerHome } from '../../peers/engine/peer-home.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { findCommandProblem } from './check-command.ts';
import { judgeRecorded, type Judges } from './judge-recorded.ts';
import { showLiveRuns } from './live-runs.ts';
import { recordCurves } from './record-curves.ts';
import { SEEDS, type Seed } from './seeds.ts';

const NAMED_BY = 3;
const SICK = SEEDS.filter(({ cause }) => cause !== undefined);
const HEALTHY = SEEDS.filter(({ cause }) => cause === undefined);

/** `pnpm e2e why-learning`: what keeps a run from learning is named, with what to type, and healthy runs are left alone. */
export const scenarios: Scenario[] = [
  {
    name: 'causes',
    title:
      'twelve causes in recorded runs of the real engine are each named within three steps, six healthy runs are not',
    async run(context) {
      // The curves are made again in the long form: a judge must hold on those of another day, too.
      const made = context.full ? { curvesFolder: await recordCurves(context) } : {};
      const { problem } = checkTemplateTools(
        await loadTokenizer({ directory: await ensureTinyModel({ home: findPeerHome() }) }),
      );
      const templateProblem = problem ?? null;
      for (const seed of SICK) {
        const named = await findNamed(context, seed, { ...made, templateProblem });
        context.report({
          name: seed.name,
          figure: named === undefined ? 'not named' : `named ${named.cause} at step ${named.step}: ${named.command}`,
          bar: `${seed.cause} by step ${seed.namedBy ?? NAMED_BY}, with a command of ours that has "${seed.command}"`,
          ok: isRight(seed, named),
        });
      }
      for (const seed of HEALTHY) {
        const said = await listSaid(context, seed, made);
        context.report({
          name: seed.name,
          figure: said.length === 0 ? `nothing in ${seed.steps} steps` : said.join('; '),
          bar: 'nothing',
          ok: said.length === 0,
        });
      }
    },
  },
  {
    name: 'mutants',
    title: 'a judge that misses its cause and one that cries wolf are both caught',
    async run(context) {
      const blind: Judges = { ...LEARNING_JUDGES, 'no-reward': () => undefined };
      const seed = SICK.find(({ cause }) => cause === 'no-reward');
      const named = seed === undefined ? undefined : await findNamed(context, seed, { judges: blind });
      context.report({
        name: 'mutant without the judge of no reward',
        figure: `says ${named?.cause ?? 'nothing'}`,
        bar: 'caught: not no-reward',
        ok: seed !== undefined && !isRight(seed, named),
      });
      // It looks at the clip fraction alone, as if a toy that learns well had none.
      const wolf: Judges = {
        ...LEARNING_JUDGES,
        'rate-too-high': ({ curves }) => {
          const clipped = curves.get('numerics/clip_fraction')?.recent.at(-1)?.value ?? 0;
          if (clipped < 0.2) return undefined;
          return { cause: 'rate-too-high', facts: { clipped }, message: 'far', command: 'lachesis train' };
        },
      };
      const said = (await Promise.all(HEALTHY.map((each) => listSaid(context, each, { judges: wolf })))).filter(
        ({ length }) => length > 0,
      );
      context.report({
        name: 'mutant that cries wolf',
        figure: `speaks of ${said.length} of ${HEALTHY.length} healthy runs`,
        bar: 'caught: ≥ 1',
        ok: said.length >= 1,
      });
    },
  },
  {
    name: 'live',
    title: 'on the real engine a run that cannot learn is refused before its start, and named within three steps of it',
    run: showLiveRuns,
  },
];

interface Named {
  cause: string;
  step: number;
  command: string;
}

/** Other judges or other curves than the usual ones. */
interface Judging {
  judges?: Judges;
  curvesFolder?: string;
}

/** What was named first, and when. */
async function findNamed(
  context: ScenarioContext,
  seed: Seed,
  { templateProblem = null, ...judging }: Judging & { templateProblem?: string | null },
): Promise<Named | undefined> {
  const judged = await judgeRecorded({
    ...{ seed, folder: await context.scratch(), ...judging },
    templateProblem: seed.environment === 'look' ? templateProblem : null,
  });
  for (const { step, found } of judged) {
    const [first] = found;
    if (first === undefined) continue;
    context.log(`${seed.name}, step ${step}: ${first.message}`);
    return { cause: first.cause, step, command: first.command };
  }
  return undefined;
}

function isRight({ cause, command = '', namedBy = NAMED_BY }: Seed, named: Named | undefined): boolean {
  if (named === undefined || named.cause !== cause || named.step > namedBy) return false;
  return named.command.includes(command) && findCommandProblem(named.command) === undefined;
}

async function listSaid(context: ScenarioContext, seed: Seed, judging: Judging): Promise<string[]> {
  const judged = await judgeRecorded({ seed, folder: await context.scratch(), templateProblem: null, ...judging });
  return judged.flatMap(({ step, found }) => found.map(({ cause }) => `${cause} at step ${step}`));
}
