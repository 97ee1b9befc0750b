import type { TrainingRun } from '@lachesis/store';
import { PreflightFailure } from './failure.ts';
import type { PreflightCheck } from './run-preflight.ts';

export interface TemplateCheckParts {
  /** The tools that the environment offers, as `lachesis env check` names them; undefined when it offers none. */
  findTools: (run: TrainingRun, signal: AbortSignal) => Promise<string | undefined>;
  /** What the chat template of the run's model leaves out; undefined when it leaves out nothing. */
  findProblem: (run: TrainingRun, signal: AbortSignal) => Promise<string | undefined>;
}

/** An environment with tools wants a model whose chat template writes them. */
export function createTemplateCheck({ findTools, findProblem }: TemplateCheckParts): PreflightCheck {
  return {
    name: 'template',
    limitMs: 60_000,
    fix: 'Look at the chat template of the model.',
    async run(run, signal) {
      const tools = await findTools(run, signal);
      if (tools === undefined) return { state: 'skipped', message: 'The environment offers no tools.' };
      const problem = await findProblem(run, signal);
      if (problem === undefined) return { state: 'passed', message: `The chat template writes tools (${tools}).` };
      const { tinker } = (run.config as { recipe?: { tinker?: Record<string, unknown> } }).recipe ?? {};
      const message = `the environment offers tools (${tools}), and ${problem}`;
      if (tinker?.['allow_dropped_tools'] === true) return { state: 'warned', message };
      throw new PreflightFailure({
        message: `${message[0]?.toUpperCase()}${message.slice(1)}.`,
        fix: 'Take a model whose template has them. To start all the same, say allow_dropped_tools: true in the section tinker of the recipe.',
      });
    },
  };
}
