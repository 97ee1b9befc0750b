import { createRandom } from '@lachesis/sdk/environment';
import { countTemplates } from './count-templates.ts';
import { measureTemplates } from './measure-templates.ts';
import type { WorkedProblem } from './problem-template.ts';
import { rateTemplates } from './rate-templates.ts';
import { tradeTemplates } from './trade-templates.ts';

const SEED = 'two hundred problems';
const COUNT = 200;

const templates = [...tradeTemplates, ...countTemplates, ...measureTemplates, ...rateTemplates];

/** The problems that ship, in their order: the templates take turns. No question comes twice. */
export function makeProblems(): WorkedProblem[] {
  const problems = new Map<string, WorkedProblem>();
  for (let turn = 0; problems.size < COUNT; turn += 1) {
    const template = templates[turn % templates.length];
    const problem = template?.(createRandom(SEED, turn));
    if (problem !== undefined) problems.set(problem.question, problem);
  }
  return [...problems.values()];
}

/** As the data set writes it: the working, then four signs and the number. */
export function writeProblem({ question, steps }: WorkedProblem): string {
  const answer = steps.at(-1)?.match(/=(?<result>-?\d+)>>/)?.groups?.['result'];
  if (answer === undefined) throw new Error(`no calculation at the end of: ${question}`);
  return JSON.stringify({ question, answer: `${steps.join('\n')}\n#### ${answer}` });
}
