import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { BaseConfigInput } from './config/base-config.ts';
import type { ServerConfigInput } from './config/server-config.ts';
import { createRandom } from './create-random.ts';
import {
  markDefinition,
  type Conversation,
  type EnvironmentConfig,
  type EnvironmentDefinition,
  type EvaluationContext,
  type Examples,
  type GradedRollout,
  type ItemContext,
  type NextMessages,
  type OpenedEnvironment,
  type PromptReply,
  type RewardReply,
  type RolloutContext,
  type SetupContext,
} from './definition.ts';
import { EnvironmentError } from './environment-error.ts';
import { createTrainOrder, listEvaluationItems, openItems, type ItemSources } from './item-source.ts';
import type { ToolDescription } from './policy/policy.ts';
import type { RolloutResult } from './rollout/rollout-result.ts';
import type { Split } from './split.ts';

/** What an environment is made of. Only name, items, prompt and reward have to be given. */
export interface EnvironmentSpec<Item, Config extends z.ZodObject, State> {
  /** As typed after `lachesis env serve`. */
  readonly name: string;
  /** One sentence, for lists. */
  readonly description?: string;
  /** Own fields of the section `env`; give each a default and `.describe(…)`. */
  readonly config?: Config;
  /** Own defaults for fields that all environments have. */
  readonly defaults?: Partial<BaseConfigInput>;
  readonly servers?: readonly ServerConfigInput[];
  /** Runs once, before the first item. What it gives back is `context.state`. */
  readonly setup?: (context: SetupContext<z.infer<Config>>) => State | Promise<State>;
  /** Two sources, or a function that makes both, such as with `splitItems`. */
  readonly items:
    | ItemSources<Item, z.infer<Config>, State>
    | ((
        context: ItemContext<z.infer<Config>, State>,
      ) => ItemSources<Item, z.infer<Config>, State> | Promise<ItemSources<Item, z.infer<Config>, State>>);
  /** A text becomes one message of the user, behind `config.system_prompt` if there is one. */
  readonly formatPrompt: (
    item: Item,
    context: RolloutContext<z.infer<Config>, State>,
  ) => PromptReply | Promise<PromptReply>;
  readonly computeReward: (
    item: Item,
    result: RolloutResult,
    context: RolloutContext<z.infer<Config>, State>,
  ) => RewardReply | Promise<RewardReply>;
  /** For more than one turn: what is said after a reply; nothing ends the rollout. */
  readonly turns?: (
    item: Item,
    conversation: Conversation,
    context: RolloutContext<z.infer<Config>, State>,
  ) => NextMessages | Promise<NextMessages>;
  /** Tools the model may call; `turns` runs the calls. */
  readonly tools?:
    | readonly ToolDescription[]
    | ((item: Item, context: RolloutContext<z.infer<Config>, State>) => readonly ToolDescription[]);
  /** Facts for the trainer about one sequence, such as `{ set_advantage_to_zero: true }`. */
  readonly overrides?: (item: Item, result: RolloutResult) => Record<string, unknown> | undefined;
  readonly groupOverrides?: (item: Item) => Record<string, unknown> | undefined;
  /** Replaces the evaluation, which rolls out and grades every item once. Gives metrics by name. */
  readonly evaluate?: (context: EvaluationContext<z.infer<Config>, State>) => Promise<Record<string, number>>;
  /** Own metrics beside those that every environment has; logged under `train/` or `eval/`. */
  readonly metrics?: (rollouts: readonly GradedRollout[], split: Split) => Record<string, number>;
  /** A right and a wrong answer to an item: `lachesis env check` grades both without a model. */
  readonly examples?: (item: Item, context: ItemContext<z.infer<Config>, State>) => Examples;
  /**
   * A task from words of somebody's own and the answer that is right, so that replies to any prompt can be scored.
   * Undefined for what makes no task of this environment.
   */
  readonly itemOf?: (
    given: { readonly prompt: string; readonly expected: string },
    context: ItemContext<z.infer<Config>, State>,
  ) => Item | undefined;
  /** Runs once at the end. */
  readonly close?: (state: State) => void | Promise<void>;
}

const NAME = /^[a-zA-Z][\w.-]{0,63}$/;

/** Turns a description into an environment that can be served, processed, evaluated and checked. */
export function defineEnvironment<Item, Config extends z.ZodObject = z.ZodObject, State = undefined>(
  spec: EnvironmentSpec<Item, Config, State>,
): EnvironmentDefinition {
  if (!NAME.test(spec.name)) {
    throw new EnvironmentError({
      kind: 'bad-definition',
      reason: `${JSON.stringify(spec.name)} cannot be the name of an environment.`,
      hint: 'Use letters, digits, dots and dashes, a letter first, 64 at most.',
    });
  }
  return markDefinition({
    name: spec.name,
    description: spec.description ?? '',
    configSchema: spec.config ?? z.object({}),
    defaults: spec.defaults ?? {},
    servers: spec.servers ?? [],
    digest: digestOf(spec.name, spec.formatPrompt, spec.computeReward, spec.turns, spec.items, spec.setup),
    verifierDigest: digestOf(spec.computeReward),
    open: (options) => openSpec(spec, options),
  });
}

async function openSpec<Item, Config extends z.ZodObject, State>(
  spec: EnvironmentSpec<Item, Config, State>,
  {
    config: values,
    signal = new AbortController().signal,
    log = () => {},
  }: { config: Record<string, unknown>; signal?: AbortSignal | undefined; log?: ((text: string) => void) | undefined },
): Promise<OpenedEnvironment> {
  type Own = z.infer<Config>;
  const config = values as EnvironmentConfig<Own>;
  const setupContext: SetupContext<Own> = { config, random: createRandom(config.seed, spec.name), signal, log };
  const state = (await spec.setup?.(setupContext)) as State;
  const itemContext: ItemContext<Own, State> = { ...setupContext, state };
  const sources = typeof spec.items === 'function' ? await spec.items(itemContext) : spec.items;
  // Inside, items are unknown: what a source gave is only ever handed back to the functions of the same spec.
  const erased = sources as unknown as ItemSources<unknown>;
  const context = itemContext as ItemContext;
  const train = await openItems({ split: 'train', source: erased.train, context });
  const evaluation = await openItems({ split: 'eval', source: erased.evaluation, context });
  const { turns, overrides, groupOverrides, evaluate, metrics, examples, tools, itemOf } = spec;
  type Rollout = RolloutContext<Own, State>;

  return {
    config: values as OpenedEnvironment['config'],
    state,
    drawTrainItem: createTrainOrder(train, context),
    listEvaluationItems: () => listEvaluationItems(evaluation, config.eval_size),
    formatPrompt: async ({ item }, rollout) => spec.formatPrompt(item as Item, rollout as Rollout),
    computeReward: async ({ item }, result, rollout) => spec.computeReward(item as Item, result, rollout as Rollout),
    listTools: async ({ item }, rollout) =>
      typeof tools === 'function' ? tools(item as Item, rollout as Rollout) : tools,
    ...(turns === undefined
      ? {}
      : {
          nextMessages: async ({ item }, conversation, rollout) =>
            turns(item as Item, conversation, rollout as Rollout),
        }),
    ...(overrides === undefined ? {} : { overrides: ({ item }, result) => overrides(item as Item, result) }),
    ...(groupOverrides === undefined ? {} : { groupOverrides: ({ item }) => groupOverrides(item as Item) }),
    ...(evaluate === undefined
      ? {}
      : { evaluate: (evaluation) => evaluate(evaluation as EvaluationContext<Own, State>) }),
    ...(metrics === undefined ? {} : { metrics }),
    ...(examples === undefined ? {} : { examples: (item) => examples(item as Item, itemContext) }),
    ...(itemOf === undefined ? {} : { itemOf: (given) => itemOf(given, itemContext) }),
    close: async () => {
      await spec.close?.(state);
    },
  };
}

/** Names the text of functions and lists; helpers they import are not part of it. */
export function digestOf(...parts: readonly unknown[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    hash.update(typeof part === 'function' ? part.toString() : describe(part));
    hash.update('\u0000');
  }
  return `sha256:${hash.digest('hex').slice(0, 32)}`;
}

function describe(part: unknown): string {
  return (
    JSON.stringify(part, (_key, value: unknown) => (typeof value === 'function' ? value.toString() : value)) ??
    'undefined'
  );
}
