import { checkGroup, decodeGroup, encodeGroup } from '@lachesis/protocol/codec';
import { resolveEnvironmentConfig } from '../config/resolve-environment-config.ts';
import type { EnvironmentDefinition, Examples, OpenedEnvironment } from '../definition.ts';
import { createFailureGate } from '../failures/create-failure-gate.ts';
import { assembleGroup } from '../group/assemble-group.ts';
import { createScriptedPolicy } from '../policy/create-scripted-policy.ts';
import type { Policy } from '../policy/policy.ts';
import { textOf } from '../policy/read-completions.ts';
import { evaluateEnvironment } from '../runner/evaluate-environment.ts';
import { rollOutGroup } from '../runner/roll-out-group.ts';
import { contextOf, gradeAnswer, replyAt } from './grade-text.ts';

/** `open`: nothing is wrong, and it could not be shown either. */
export interface CheckLine {
  readonly name: string;
  readonly verdict: 'ok' | 'open' | 'wrong';
  readonly detail: string;
}

export interface CheckEnvironmentOptions {
  readonly definition: EnvironmentDefinition;
  readonly flags?: Readonly<Record<string, unknown>> | undefined;
  readonly yaml?: unknown;
  /** A real model. Without one, answers come from `examples`, or are one fixed text. */
  readonly policy?: Policy | undefined;
  readonly nextId: () => string;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onLine?: (line: CheckLine) => void;
}

const FEW_ITEMS = 4;
/** Enough to see a leak of the training split into the evaluation split, without reading a whole dataset. */
const ITEMS_COMPARED = 500;

/** Goes through the list of what an environment must be able to do. Stops where the rest would make no sense. */
export async function checkEnvironment(options: CheckEnvironmentOptions): Promise<CheckLine[]> {
  const lines: CheckLine[] = [];
  const add = (name: string, verdict: CheckLine['verdict'], detail: string): void => {
    lines.push({ name, verdict, detail });
    options.onLine?.({ name, verdict, detail });
  };
  /** Whether the step was gone through; what it throws is what is wrong. */
  const step = async (name: string, work: () => Promise<[CheckLine['verdict'], string]>): Promise<boolean> => {
    try {
      const [verdict, detail] = await work();
      add(name, verdict, detail);
      return verdict !== 'wrong';
    } catch (error) {
      add(name, 'wrong', error instanceof Error ? error.message : String(error));
      return false;
    }
  };

  const { definition, flags, yaml, signal } = options;
  let config: Record<string, unknown> = {};
  let environment: OpenedEnvironment | undefined;
  const isLoaded = await step('loads', async () => {
    const resolved = resolveEnvironmentConfig({ definition, flags, yaml });
    config = { ...resolved.values.env, eval_size: resolved.values.env.eval_size ?? FEW_ITEMS };
    environment = await definition.open({ config, signal });
    return ['ok', `${definition.name}, ${Object.keys(definition.configSchema.shape).length} settings of its own`];
  });
  if (!isLoaded || environment === undefined) return lines;
  const opened = environment;
  const offered = new Set<string>();
  const policy = watchTools(options.policy ?? createExamplePolicy(opened), offered);
  try {
    const hasItems = await step('gives items', () => checkItems(definition, opened, config, signal));
    if (!hasItems) return lines;
    await step('splits stay apart', () => checkSplits(opened));
    await step('grades its own examples', () => checkExamples(opened));
    await step('makes valid groups', () => checkGroups(options, opened, policy));
    // The model's chat template has to write them.
    if (offered.size > 0) add('offers tools', 'ok', [...offered].join(', '));
    await step('evaluates', () => checkEvaluation(options, opened, policy));
  } finally {
    await opened.close();
  }
  return lines;
}

/** Notes the names of the tools that are offered to the model. */
function watchTools(policy: Policy, offered: Set<string>): Policy {
  return {
    async complete(request) {
      for (const tool of request.tools ?? []) {
        const { name } = (tool['function'] ?? {}) as { name?: unknown };
        offered.add(typeof name === 'string' ? name : 'a tool without a name');
      }
      return await policy.complete(request);
    },
  };
}

type StepResult = Promise<[CheckLine['verdict'], string]>;

async function checkItems(
  definition: EnvironmentDefinition,
  environment: OpenedEnvironment,
  config: Record<string, unknown>,
  signal: AbortSignal,
): StepResult {
  const first = await environment.drawTrainItem(0);
  if (first === undefined) return ['wrong', 'there is no training item'];
  const again = await definition.open({ config, signal });
  try {
    const repeated = await again.drawTrainItem(0);
    if (JSON.stringify(repeated?.item) !== JSON.stringify(first.item)) {
      return ['wrong', 'the same seed gave another item: take randomness from `context.random`'];
    }
  } finally {
    await again.close();
  }
  return ['ok', 'the same seed gives the same item'];
}

async function checkSplits(environment: OpenedEnvironment): StepResult {
  const evaluation = await environment.listEvaluationItems();
  if (evaluation.length === 0)
    return ['wrong', 'there is no evaluation item, and training items are never used for it'];
  const known = new Map(evaluation.map(({ item, key }) => [JSON.stringify(item), key]));
  for (let index = 0; index < ITEMS_COMPARED; index += 1) {
    const drawn = await environment.drawTrainItem(index);
    if (drawn === undefined) break;
    const twin = known.get(JSON.stringify(drawn.item));
    if (twin !== undefined) return ['wrong', `training item ${drawn.key} is evaluation item ${twin} too`];
  }
  return ['ok', `${evaluation.length} evaluation items looked at`];
}

async function checkExamples(environment: OpenedEnvironment): StepResult {
  const { examples } = environment;
  if (examples === undefined)
    return ['open', 'give `examples` to have a right and a wrong answer graded without a model'];
  const rewards = { right: [] as number[], wrong: [] as number[] };
  for (let index = 0; index < FEW_ITEMS; index += 1) {
    const drawn = await environment.drawTrainItem(index);
    const answers = drawn === undefined ? undefined : examples(drawn.item, contextOf(environment));
    if (drawn === undefined || answers === undefined) break;
    for (const kind of ['right', 'wrong'] as const) {
      const outcome = await gradeAnswer(environment, drawn, answers[kind]);
      if (outcome.kind !== 'scored')
        return ['wrong', `the ${kind} answer to ${drawn.key} was not scored: ${outcome.reason}`];
      rewards[kind].push(outcome.reward);
    }
  }
  const [right, wrong] = [Math.min(...rewards.right), Math.max(...rewards.wrong)];
  if (right <= wrong) return ['wrong', `a wrong answer is worth ${wrong}, a right one ${right}`];
  return ['ok', `right answers ≥ ${right}, wrong answers ≤ ${wrong}`];
}

async function checkGroups(
  options: CheckEnvironmentOptions,
  environment: OpenedEnvironment,
  policy: Policy,
): StepResult {
  const { definition, nextId, now, signal } = options;
  const rewards: number[] = [];
  let sequences = 0;
  for (let index = 0; index < FEW_ITEMS; index += 1) {
    const drawn = await environment.drawTrainItem(index);
    if (drawn === undefined) break;
    const gate = createFailureGate({ now });
    let reason = '';
    const onEvent = (event: { kind: string; reason?: string }): void => {
      if (event.kind === 'group-dropped') reason = event.reason ?? '';
    };
    const group = await rollOutGroup({ definition, environment, policy, gate, nextId, now, signal, onEvent }, drawn);
    if (group === undefined) return ['wrong', reason];
    for (const { outcome } of group.rollouts) rewards.push(outcome.reward);
    if (group.rollouts.some((rollout) => rollout.sequences.length === 0)) {
      return ['open', 'the server gives no token ids: fit for evaluate and process, not for serve'];
    }
    const payload = decodeGroup(
      encodeGroup(
        assembleGroup({
          rollouts: group.rollouts,
          groupId: nextId(),
          item: drawn.key,
          environment: definition.name,
          environmentDigest: definition.digest,
          verifierDigest: definition.verifierDigest,
          envId: null,
          temperature: environment.config.temperature,
          groupOverrides: environment.groupOverrides?.(drawn),
          includeMessages: true,
        }),
      ),
    );
    const limits = { maxSequences: 1_000_000, maxTokensPerSequence: environment.config.max_token_length };
    const [issue] = checkGroup(payload, limits);
    if (issue !== undefined) return ['wrong', `${issue.field} ${issue.message}`];
    sequences += payload.tokens.rowLengths.length;
  }
  return judgeRewards(rewards, sequences, options.policy !== undefined);
}

function judgeRewards(
  rewards: readonly number[],
  sequences: number,
  isRealModel: boolean,
): [CheckLine['verdict'], string] {
  const [least, most] = [Math.min(...rewards), Math.max(...rewards)];
  const range = `${sequences} sequences, rewards ${least} to ${most}`;
  if (least < 0 || most > 1) return ['wrong', `${range}; keep them in 0 to 1`];
  if (least === most) {
    return [isRealModel ? 'wrong' : 'open', `${range}: all equal, so nothing could be learnt from them`];
  }
  return ['ok', range];
}

async function checkEvaluation(
  options: CheckEnvironmentOptions,
  environment: OpenedEnvironment,
  policy: Policy,
): StepResult {
  const { nextId, now, signal } = options;
  const { metrics } = await evaluateEnvironment({ environment, policy, nextId, now, signal, onEvent: () => {} });
  const reward = metrics['eval/mean_reward'];
  if (reward === undefined) return ['wrong', 'no evaluation rollout was scored'];
  return ['ok', `eval/mean_reward ${reward.toFixed(3)}`];
}

/** Right and wrong answers by turns, found by the prompt; a fixed text where the environment gives no examples. */
function createExamplePolicy(environment: OpenedEnvironment): Policy {
  const answers = new Map<string, Examples>();
  let isIndexed = false;
  const index = async (): Promise<void> => {
    isIndexed = true;
    const { examples } = environment;
    if (examples === undefined) return;
    const context = { ...contextOf(environment), split: 'train' as const, rolloutId: 'check' };
    const drawn = [...(await environment.listEvaluationItems())];
    const training = await Promise.all(Array.from({ length: FEW_ITEMS }, (_, at) => environment.drawTrainItem(at)));
    for (const each of [...drawn, ...training.filter((item) => item !== undefined)]) {
      const prompt = await environment.formatPrompt(each, context);
      const given = examples(each.item, context);
      if (given !== undefined) answers.set(lastText(prompt), given);
    }
  };
  let asked = 0;
  /** A rollout of several turns stays with the answer it began with. */
  const isWrong = new Map<string, boolean>();
  return createScriptedPolicy(async ({ messages, rolloutIds }, sample) => {
    if (!isIndexed) await index();
    const known = messages.map(({ content }) => answers.get(textOf(content))).find((each) => each !== undefined);
    asked += 1;
    if (known === undefined) return 'This is a fixed answer: 42.';
    const rolloutId = rolloutIds?.[sample] ?? `asked-${asked}`;
    const takesWrong = isWrong.get(rolloutId) ?? asked % 2 === 0;
    isWrong.set(rolloutId, takesWrong);
    return replyAt(takesWrong ? known.wrong : known.right, messages);
  });
}

const lastText = (prompt: string | readonly { content?: unknown }[]): string =>
  typeof prompt === 'string' ? prompt : textOf(prompt.at(-1)?.content);
