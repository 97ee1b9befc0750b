import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import type { Subject } from '../subject/start-subject.ts';
import { countProcesses, describeCounted } from './count-processes.ts';

/** A story that fails tells what there was to see at that moment: afterwards everything is cleaned away. */
export async function explainFailure<T>(
  context: ScenarioContext,
  { story, subject, run }: { story: string; subject: Subject; run: string },
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const history = await subject.readHistory(run).catch((cause: unknown) => [String(cause)]);
    context.log(
      [
        `${story}: ${message}`,
        `  run ${run}, processes: ${describeCounted(countProcesses(run))}`,
        ...history.map((line) => `  ${line}`),
        `  the last words of the server: ${subject.process.logs().slice(-2_000)}`,
      ].join('\n'),
    );
    throw new Error(`${story}: ${message}`, { cause: error });
  }
}
