import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { EXPECTED_FAILURES } from '../expected-failures.ts';
import type { Subject } from '../servers/subject.ts';
import { runRows } from './run-rows.ts';

/** Every row on one server, as one line. */
export async function reportRows(context: ScenarioContext, subject: Subject): Promise<void> {
  const { name } = subject.server;
  const outcomes = await runRows(subject, undefined, (outcome, seconds) => {
    const reason = outcome.result === 'ok' ? '' : `: ${outcome.reason}`;
    context.log(`${name} ${outcome.row} ${outcome.result} in ${seconds.toFixed(1)} s${reason}`);
  });
  const expected = EXPECTED_FAILURES.filter(({ server }) => server === name).map(({ row }) => row);
  const failed = outcomes.filter(({ result }) => result === 'failed').map(({ row }) => row);
  const passed = outcomes.filter(({ result }) => result === 'ok').map(({ row }) => row);
  const surprises = failed.filter((row) => !expected.includes(row));
  const mended = expected.filter((row) => passed.includes(row));
  for (const row of mended) context.log(`${name} ${row} passes now: take it out of expected-failures.ts`);
  const notRun = outcomes.length - failed.length - passed.length;
  context.report({
    name: `${name} rows`,
    figure: `${passed.length} of ${outcomes.length} rows, ${failed.length - surprises.length} expected to fail, ${notRun} not run${surprises.length === 0 ? '' : `; failed: ${surprises.join(', ')}`}`,
    bar: 'every row, or listed in expected-failures.ts',
    ok: surprises.length === 0 && mended.length === 0,
  });
}
