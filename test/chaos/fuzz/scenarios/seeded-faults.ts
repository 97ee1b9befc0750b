import { fileURLToPath } from 'node:url';

import { findFreePort } from '../../../kit/find-free-port.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { startSubject } from '../../trajectory-api/subject/start-subject.ts';
import { runFuzz } from '../run-fuzz.ts';
import { FUZZ_ENVIRONMENT, readSeed } from './settings.ts';

/** The cases that the short form sends; a fault that these do not meet is one that the suite would not find. */
const MOST_CASES = 10_000;

const FAULTS = [
  { name: 'odd idempotency key', file: 'odd-key-process.ts' },
  { name: 'epoch beyond 32 bits', file: 'wide-epoch-process.ts' },
];

export const seededFaultScenario: Scenario = {
  name: 'seeded-faults',
  title: 'servers with a part that throws on one odd input: the same cases find it',
  async run(context) {
    for (const { name, file } of FAULTS) {
      const subject = await startSubject({
        port: await findFreePort(),
        home: await context.scratch(),
        mutant: fileURLToPath(new URL(`../faults/${file}`, import.meta.url)),
        settings: { ...FUZZ_ENVIRONMENT, LACHESIS_LOG_LEVEL: 'silent' },
      });
      context.defer(() => subject.end());
      const { failures } = await runFuzz({
        port: subject.port,
        seed: readSeed(),
        cases: MOST_CASES,
        stopsAtFailure: true,
      });
      const [first] = failures;
      await subject.end();
      if (first !== undefined) context.log(`${first.what}\n  ${first.request}`);
      context.report({
        name: `seeded fault, ${name}`,
        figure: first === undefined ? `not found in ${MOST_CASES} cases` : `found after ${first.number} cases`,
        bar: 'found',
        ok: first !== undefined,
      });
    }
  },
};
