import type { Scenario } from '../../../scenarios/scenario.ts';
import { callJson } from '../call.ts';
import { verifies } from '../requirements.ts';
import { startSubject } from '../subject.ts';
import { UPSTREAM_PORT, checkUpstreamPortIsFree, runUpstreamTests } from '../upstream-tests.ts';

/** 3 of the first file, 26 of the second, 7 of the third. */
const TESTS = 36;

export const upstreamTestsScenario: Scenario = {
  name: 'upstream-tests',
  title: "atroposlib's own HTTP tests, unedited, pointed at our server",
  async run(context) {
    verifies('upstream-tests', 'register', 'messages-shape', 'gzip-request', 'gzip-reply');
    await checkUpstreamPortIsFree();
    const { url } = await startSubject({ context, port: UPSTREAM_PORT });
    const { tests, passed, output } = await runUpstreamTests({ cwd: await context.scratch() });
    if (passed < tests || tests === 0) context.log(output.slice(-4_000));
    // Had our server ended, the fixtures' own would have answered the tests instead.
    await callJson(url, 'GET', '/info');
    context.report({
      name: 'upstream tests',
      figure: `${passed} of ${tests} passed`,
      bar: `${TESTS} of ${TESTS}`,
      ok: tests === TESTS && passed === TESTS,
    });
  },
};
