import { createTinkerClient } from '@lachesis/tinker';

import { startTuft } from '../../../peers/tuft/start-tuft.ts';
import type { Tuft } from '../../../peers/tuft/start-tuft.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { createRandom } from '../../simulation/random.ts';
import { judgeCalls } from '../judge/judge-calls.ts';
import { readTuftRecord } from '../judge/read-tuft-record.ts';
import { CallLog } from '../load/call-log.ts';
import { createOperations } from '../load/operations.ts';
import { withFreshNumbers, withoutPollDeadline, withoutResynchronisation } from '../mutants/mutant-fetch.ts';
import type { Fate } from '../proxy/fate.ts';
import { startStormProxy } from '../proxy/start-storm-proxy.ts';
import { runLine } from '../reattach/run-line.ts';
import { readSeed } from './read-seed.ts';

interface Mutant {
  readonly name: string;
  /** The client's `fetch`; its own when absent. */
  readonly fetch?: typeof fetch;
  /** The one fault it meets, and at which call. */
  readonly path: 'optim_step' | 'retrieve_future';
  readonly fate: Fate;
  /** What must be found. */
  readonly finding: RegExp;
}

const STEPS = 8;
const STRUCK_STEP = 2;
const TIMEOUT_MS = 2_000;
const REFUSED: Fate = { kind: 'status', when: 'before', status: 503 };
const LOST: Fate = { kind: 'cut', when: 'after' };
const HALF_OPEN: Fate = { kind: 'silence', when: 'after' };

const MUTANTS: readonly Mutant[] = [
  {
    name: 'no resynchronisation',
    ...{ fetch: withoutResynchronisation(), path: 'optim_step', fate: REFUSED },
    finding: /^7 of 8 steps were not taken/,
  },
  {
    name: 'a fresh number for a lost reply',
    ...{ fetch: withFreshNumbers(), path: 'optim_step', fate: LOST },
    finding: /was carried out 2 times/,
  },
  {
    name: 'no deadline of a poll',
    ...{ fetch: withoutPollDeadline(), path: 'retrieve_future', fate: HALF_OPEN },
    finding: /hung/,
  },
];

/** Clients with one safeguard taken out, each through one fault: it must be found out, and the client itself must not. */
export const mutantScenario: Scenario = {
  name: 'mutants',
  title: 'clients with one safeguard taken out are found out by the harness of the storm, and the client itself is not',
  async run(context) {
    const tuft = await startTuft();
    context.defer(async () => tuft[Symbol.asyncDispose]());
    const forgetful = catchForgetful(context, tuft);
    await Promise.all(
      MUTANTS.map(async (mutant) => {
        const [found, control] = await Promise.all([
          meetFault(context, tuft, mutant),
          meetFault(context, tuft, { path: mutant.path, fate: mutant.fate }),
        ]);
        const finding = found.find((each) => mutant.finding.test(each));
        context.report({
          name: `mutant ${mutant.name}`,
          figure: `${finding === undefined ? 'not caught' : `caught (${finding})`}; the client itself: ${control[0] ?? '0 findings'}`,
          bar: 'caught; the client itself: 0 findings',
          ok: finding !== undefined && control.length === 0,
        });
      }),
    );
    await forgetful;
  },
};

/** A program that goes on from its journal and does not ask which number the server waits for. */
async function catchForgetful(context: ScenarioContext, tuft: Tuft): Promise<void> {
  const random = createRandom(readSeed());
  const { sentTwice } = await runLine(context, { tuft, random, moments: ['after'], believes: 'journal' });
  context.report({
    name: 'mutant no question after a restart',
    figure: sentTwice > 0 ? `caught (${sentTwice} operation sent twice)` : 'not caught',
    bar: 'caught',
    ok: sentTwice > 0,
  });
}

async function meetFault(
  context: ScenarioContext,
  tuft: Tuft,
  { fetch, path: struckPath, fate }: Pick<Mutant, 'fate' | 'fetch' | 'path'>,
): Promise<readonly string[]> {
  let requests = 0;
  const proxy = await startStormProxy({
    port: Number(new URL(tuft.url).port),
    decide: ({ path }) => {
      if (path !== struckPath) return { kind: 'pass' };
      requests += 1;
      return requests === STRUCK_STEP ? fate : { kind: 'pass' };
    },
  });
  context.defer(() => proxy.end());
  const service = await createTinkerClient({
    ...{ baseUrl: proxy.url, apiKey: tuft.apiKey, heartbeatMs: false },
    ...(fetch === undefined ? {} : { fetch }),
  }).connect();
  const training = await service.createTraining({ baseModel: tuft.baseModel, rank: 4 });
  // The poll of the model that was made is not meant.
  requests = 0;
  const log = new CallLog();
  const operations = createOperations({ training, log, timeoutMs: TIMEOUT_MS });
  for (let step = 0; step < STEPS; step += 1) {
    log.beginBurst();
    if ((await operations.optimStep()).outcome === 'hung') break;
  }
  const calls = await log.all();
  const executions = await readTuftRecord({ ...tuft, passages: proxy.passages });
  const { findings, done } = judgeCalls({ calls, executions, graceMs: TIMEOUT_MS, hasNumbers: true });
  await proxy.end();
  return done === calls.length
    ? findings
    : [...findings, `${calls.length - done} of ${calls.length} steps were not taken`];
}
