import { fileURLToPath } from 'node:url';

import { CALLING_FAMILIES } from '../../../../packages/sdk/src/environment/agent/testing/odd-replies.fixture.ts';
import { families } from '../../../conformance/render/families.ts';
import { findFreePort } from '../../../kit/find-free-port.ts';
import { startProcess } from '../../../kit/start-process.ts';
import { waitForHttp } from '../../../kit/wait-for-http.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { runExactFamily } from '../run-exact-family.ts';
import type { ExactFamily } from '../run-exact-family.ts';

const CLI = fileURLToPath(new URL('../../../../packages/cli/src/main.ts', import.meta.url));

/** Of several turns, in each family; four families make 500 and more. */
const ROLLOUTS = { short: 130, full: 500 };
const LEAST = 500;
/** Families that run at once: much of the time of one is the start of its processes. */
const AT_ONCE = 2;

export const tokensScenario: Scenario = {
  name: 'tokens',
  title: 'what arrives for training is what the engine sampled, id for id, over four template families',
  async run(context) {
    const found = families.flatMap(({ name, directory }) =>
      CALLING_FAMILIES.includes(name) && directory !== undefined ? [{ family: name, directory }] : [],
    );
    const apiUrl = await startApi(context);
    const [cwd, codeCache] = [await context.scratch(), await context.scratch()];
    const rollouts = context.full ? ROLLOUTS.full : ROLLOUTS.short;
    const all: ExactFamily[] = [];
    const caught: string[] = [];
    const waiting = found.values();
    const runLane = async (): Promise<void> => {
      for (const each of waiting) {
        const { ours, mutant } = await runExactFamily({ ...each, apiUrl, rollouts, cwd, codeCache });
        context.log(
          `${each.family}: ${describe(ours)}; re-encoded: ${mutant.strangers} of ${mutant.spans} never sampled`,
        );
        all.push(ours);
        if (mutant.strangers > 0) caught.push(each.family);
      }
    };
    // All lanes to their end, also when one throws: what the others opened is theirs to close.
    const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, runLane));
    for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
    const sum = (pick: (each: ExactFamily) => number): number => all.reduce((total, each) => total + pick(each), 0);
    const [strangers, incomplete] = [sum((each) => each.strangers), sum((each) => each.incomplete)];
    const several = sum((each) => each.severalTurns);
    context.report({
      name: 'tokens trained = tokens sampled',
      figure: `${strangers} of ${sum((each) => each.spans)} replies differ, ${incomplete} rollouts lack one; ${several} rollouts of several turns, ${found.length} families`,
      bar: `0 and 0, at least ${LEAST} rollouts, 4 families`,
      ok: strangers === 0 && incomplete === 0 && several >= LEAST && found.length === 4,
    });
    context.report({
      name: 'mutant that encodes the text of a turn again',
      figure: `caught in ${caught.length} of ${found.length} families`,
      bar: 'caught in every family',
      ok: caught.length === found.length && found.length > 0,
    });
  },
};

const describe = ({ rollouts, severalTurns, rows, spans, strangers, incomplete }: ExactFamily): string =>
  `${rollouts} rollouts, ${severalTurns} of several turns, ${rows} rows, ${spans} replies, ${strangers} never sampled, ${incomplete} incomplete`;

async function startApi(context: ScenarioContext): Promise<string> {
  const port = await findFreePort();
  const home = await context.scratch();
  const api = await startProcess({
    command: process.execPath,
    args: [
      ...['--conditions=lachesis-source', CLI, 'serve', 'trajectory-api'],
      ...['--host', '127.0.0.1', '--port', String(port), '--home', home, '--log-level', 'warn'],
    ],
    name: 'the trajectory API',
  });
  context.defer(async () => void (await api.stop()));
  const url = `http://127.0.0.1:${port}`;
  await waitForHttp({ url: `${url}/`, process: api, timeoutMs: 60_000 });
  return url;
}
