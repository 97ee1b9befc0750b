import { resolveEnvironmentConfig } from '../config/resolve-environment-config.ts';
import type { EnvironmentDefinition, OpenedEnvironment } from '../definition.ts';
import { drawItem } from '../split.ts';
import { textOf } from '../policy/read-completions.ts';
import { contextOf, gradeText } from './grade-text.ts';

export interface GradedReply {
  /** Null when nothing could score it, and the reason says why. */
  readonly score: number | null;
  readonly reason: string | null;
}

export interface ReplyToGrade {
  readonly prompt: string;
  readonly response: string;
  /** The right answer, for a prompt that is none of the environment's own. */
  readonly expected?: string | undefined;
}

export interface GradeRepliesOptions {
  readonly definition: EnvironmentDefinition;
  readonly replies: readonly ReplyToGrade[];
  readonly flags?: Readonly<Record<string, unknown>> | undefined;
  readonly yaml?: unknown;
  readonly signal: AbortSignal;
}

type AnyItem = Parameters<OpenedEnvironment['computeReward']>[0];

/** Enough to find what somebody copied from a data set, without reading a whole one. */
const ITEMS_SEARCHED = 1_000;

/**
 * Scores replies as the environment would. A verifier needs the task and not only its words: it is made of the prompt and
 * the expected answer where both are given, else looked for among the environment's own; one that is nobody's has no score.
 */
export async function gradeReplies(options: GradeRepliesOptions): Promise<GradedReply[]> {
  const { definition, flags, yaml, signal } = options;
  const { values } = resolveEnvironmentConfig({ definition, flags, yaml });
  const environment = await definition.open({ config: values.env, signal });
  try {
    const tasks = await findTasks(
      environment,
      new Set(options.replies.flatMap(({ prompt, expected }) => (expected === undefined ? [prompt.trim()] : []))),
    );
    const graded: GradedReply[] = [];
    for (const { prompt, response, expected } of options.replies) {
      const task = expected === undefined ? tasks.get(prompt.trim()) : makeTask(environment, { prompt, expected });
      const missing = expected === undefined ? UNKNOWN : NO_TASK;
      graded.push(task === undefined ? missing : await grade(environment, task, response));
    }
    return graded;
  } finally {
    await environment.close();
  }
}

const UNKNOWN: GradedReply = Object.freeze({
  score: null,
  reason: `none of the first ${ITEMS_SEARCHED} tasks of the environment has this prompt, so that there is nothing to score by`,
});

const NO_TASK: GradedReply = Object.freeze({
  score: null,
  reason:
    'the environment makes no task of this prompt and this answer (itemOf of its definition would), so that there is ' +
    'nothing to score by',
});

function makeTask(
  environment: OpenedEnvironment,
  given: { readonly prompt: string; readonly expected: string },
): AnyItem | undefined {
  const item = environment.itemOf?.(given);
  return item === undefined ? undefined : drawItem('eval', `given ${given.prompt}`, item);
}

async function grade(environment: OpenedEnvironment, task: AnyItem, response: string): Promise<GradedReply> {
  const outcome = await gradeText(environment, task, response);
  return outcome.kind === 'scored'
    ? { score: outcome.reward, reason: null }
    : { score: null, reason: outcome.reason ?? outcome.kind };
}

async function findTasks(environment: OpenedEnvironment, wanted: ReadonlySet<string>): Promise<Map<string, AnyItem>> {
  const found = new Map<string, AnyItem>();
  const context = { ...contextOf(environment), rolloutId: 'grade' };
  const look = async (drawn: AnyItem): Promise<void> => {
    const prompt = await environment.formatPrompt(drawn, { ...context, split: drawn.split });
    const text = (typeof prompt === 'string' ? prompt : textOf(prompt.at(-1)?.content)).trim();
    if (wanted.has(text) && !found.has(text)) found.set(text, drawn);
  };
  for (const drawn of await environment.listEvaluationItems()) await look(drawn);
  for (let index = 0; index < ITEMS_SEARCHED && found.size < wanted.size; index += 1) {
    const drawn = await environment.drawTrainItem(index);
    if (drawn === undefined) break;
    await look(drawn);
  }
  return found;
}
