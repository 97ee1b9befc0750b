import type { Scenario } from '../../../scenarios/scenario.ts';
import { EDGE_CASES, runEdges } from '../edges/run-edges.ts';
import { readExpectedFailures } from '../expected-failures.ts';
import { readSubjectName, startSubject } from '../subject.ts';

export const edgesScenario: Scenario = {
  name: 'edges',
  title: 'coercions, broken bodies, encodings, routing and every listed deviation answer as promised',
  async run(context) {
    const { url } = await startSubject({ context });
    const failures = await runEdges({ url, subject: readSubjectName() });
    const expected = readExpectedFailures().map(({ name }) => name);
    const failing = failures.map(({ name }) => `edges/${name}`);
    const surprises = failures.filter(({ name }) => !expected.includes(`edges/${name}`));
    const mended = expected.filter((name) => name.startsWith('edges/') && !failing.includes(name));
    for (const { name, reason } of surprises) context.log(`${name}: ${reason}`);
    for (const name of mended) context.log(`${name} passes now: take it out of expected-failures.yaml`);
    context.report({
      name: 'edges',
      figure: `${EDGE_CASES.length - failures.length} of ${EDGE_CASES.length} cases, ${failures.length - surprises.length} expected to fail`,
      bar: 'every case, or listed in expected-failures.yaml',
      ok: surprises.length === 0 && mended.length === 0,
    });
  },
};
