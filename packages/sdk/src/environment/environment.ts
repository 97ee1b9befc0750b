import { z } from 'zod';
import type { BaseConfigInput } from './config/base-config.ts';
import type { ServerConfigInput } from './config/server-config.ts';
import { createRandom, type Random } from './create-random.ts';
import { digestOf } from './define-environment.ts';
import {
  isEnvironmentDefinition,
  markDefinition,
  type CollectContext,
  type Conversation,
  type EnvironmentConfig,
  type EnvironmentDefinition,
  type EvaluationContext,
  type Examples,
  type GradedRollout,
  type NextMessages,
  type OpenedEnvironment,
  type OpenEnvironmentOptions,
  type PromptReply,
  type RewardReply,
  type RolloutContext,
} from './definition.ts';
import { EnvironmentError } from './environment-error.ts';
import type { ToolDescription } from './policy/policy.ts';
import type { RolloutResult, Trajectory } from './rollout/rollout-result.ts';
import { drawItem, type Split } from './split.ts';

type Given<T> = T | Promise<T>;

const marker = Symbol.for('lachesis.sdk.environment');

/** What a base class below `Environment` adds to every environment that extends it. */
export const BASE_CLASS = Symbol.for('lachesis.sdk.environment-base-class');

export interface BaseClass {
  /** Fields of the section `env` besides the own ones. */
  readonly schema: z.ZodObject;
  readonly defaults: Partial<BaseConfigInput>;
  readonly extend: (opened: OpenedEnvironment) => Promise<OpenedEnvironment>;
}

/**
 * The base class for an environment with a state of its own; `defineEnvironment` is the short form. Give `name`,
 * `getNextItem`, `getEvaluationItems`, and either `formatPrompt` with `computeReward` or `collectTrajectories` with
 * `scoreAnswer`. Base metrics are logged whatever is overridden; nothing has to call `super`.
 */
export abstract class Environment<Item = unknown, Config extends z.ZodObject = z.ZodObject> {
  /** Recognises the class across copies of this package. */
  get [marker](): true {
    return true;
  }

  get [BASE_CLASS](): BaseClass | undefined {
    return undefined;
  }

  /** As typed after `lachesis env serve`. */
  abstract readonly name: string;
  readonly description: string = '';
  /** Own fields of the section `env`. */
  readonly schema: Config = z.object({}) as unknown as Config;

  /** There from `setup` on. */
  config!: EnvironmentConfig<z.infer<Config>>;
  random!: Random;
  signal!: AbortSignal;
  log!: (text: string) => void;

  /** The environment's defaults and servers; files, variables and flags go before them. */
  configInit(): { config?: Partial<BaseConfigInput>; servers?: readonly ServerConfigInput[] } {
    return {};
  }

  setup(): Given<void> {}
  close(): Given<void> {}

  /** The next item of the training split; undefined when there is none now. */
  abstract getNextItem(index: number): Given<Item | undefined>;
  /** The items of the evaluation split, in a fixed order. */
  abstract getEvaluationItems(): Given<readonly Item[]>;

  formatPrompt?(item: Item, context: RolloutContext<z.infer<Config>>): Given<PromptReply>;
  computeReward?(item: Item, result: RolloutResult, context: RolloutContext<z.infer<Config>>): Given<RewardReply>;

  /** Instead of `formatPrompt`: samples the trajectories itself, with `context.sample`. */
  collectTrajectories?(item: Item, context: CollectContext<z.infer<Config>>): Promise<readonly Trajectory[]>;
  /** Instead of `computeReward`. */
  scoreAnswer?(item: Item, result: RolloutResult, context: RolloutContext<z.infer<Config>>): Given<RewardReply>;

  /** For more than one turn. */
  nextTurn?(item: Item, conversation: Conversation, context: RolloutContext<z.infer<Config>>): Given<NextMessages>;
  getTools?(item: Item): readonly ToolDescription[];
  overrides?(item: Item, result: RolloutResult): Record<string, unknown> | undefined;
  evaluate?(context: EvaluationContext<z.infer<Config>>): Promise<Record<string, number>>;
  metrics?(rollouts: readonly GradedRollout[], split: Split): Record<string, number>;
  examples?(item: Item): Examples;
}

/** The constructor of an environment that can be made without arguments. */
// oxlint-disable-next-line typescript/no-explicit-any -- a class of any item and any fields fits; both stay inside it
export type EnvironmentClass = new () => Environment<any, any>;

/** What a class becomes. Each `open` makes its own instance, so two runs in one process share nothing. */
export function toDefinition(EnvironmentClass: EnvironmentClass): EnvironmentDefinition {
  const probe = new EnvironmentClass();
  const grade = probe.computeReward ?? probe.scoreAnswer;
  const canRollOut = probe.formatPrompt !== undefined || probe.collectTrajectories !== undefined;
  if (grade === undefined || !canRollOut) {
    throw new EnvironmentError({
      kind: 'bad-definition',
      reason: `The environment ${probe.name} (class ${EnvironmentClass.name}) lacks ${grade === undefined ? 'a grade' : 'a prompt'}.`,
      hint: 'Write formatPrompt and computeReward, or collectTrajectories and scoreAnswer.',
    });
  }
  const { config = {}, servers = [] } = probe.configInit();
  const own = probe.schema as z.ZodObject;
  const base = probe[BASE_CLASS];
  return markDefinition({
    name: probe.name,
    description: probe.description,
    configSchema: base === undefined ? own : base.schema.extend(own.shape),
    defaults: { ...base?.defaults, ...config },
    servers,
    digest: digestOf(probe.name, EnvironmentClass),
    verifierDigest: digestOf(grade),
    open: (options) => openInstance(new EnvironmentClass(), options),
  });
}

async function openInstance(environment: Environment, options: OpenEnvironmentOptions): Promise<OpenedEnvironment> {
  const config = options.config as OpenedEnvironment['config'];
  environment.config = config;
  environment.random = createRandom(config.seed, environment.name);
  environment.signal = options.signal ?? new AbortController().signal;
  environment.log = options.log ?? (() => {});
  await environment.setup();
  const { nextTurn, collectTrajectories, overrides, evaluate, metrics, examples } = environment;
  const grade = (environment.computeReward ?? environment.scoreAnswer)!;

  const opened: OpenedEnvironment = {
    config,
    state: undefined,
    drawTrainItem: async (index) => {
      const item = await environment.getNextItem(index);
      return item === undefined ? undefined : drawItem('train', `train-${index}`, item, index);
    },
    listEvaluationItems: async () => {
      const items = await environment.getEvaluationItems();
      return items.slice(0, config.eval_size).map((item, index) => drawItem('eval', `eval-${index}`, item));
    },
    formatPrompt: async ({ item }, context) => environment.formatPrompt!(item, context),
    computeReward: async ({ item }, result, context) => grade.call(environment, item, result, context),
    listTools: async ({ item }) => environment.getTools?.(item),
    ...(nextTurn === undefined
      ? {}
      : {
          nextMessages: async ({ item }, conversation, context) =>
            nextTurn.call(environment, item, conversation, context),
        }),
    ...(collectTrajectories === undefined
      ? {}
      : { collectTrajectories: ({ item }, context) => collectTrajectories.call(environment, item, context) }),
    ...(overrides === undefined ? {} : { overrides: ({ item }, result) => overrides.call(environment, item, result) }),
    ...(evaluate === undefined ? {} : { evaluate: (context) => evaluate.call(environment, context) }),
    ...(metrics === undefined ? {} : { metrics: (rollouts, split) => metrics.call(environment, rollouts, split) }),
    ...(examples === undefined ? {} : { examples: (item) => examples.call(environment, item) }),
    close: async () => environment.close(),
  };
  return (await environment[BASE_CLASS]?.extend(opened)) ?? opened;
}

/** A definition as it is, or what an exported class becomes; undefined for anything else a module may export. */
export function readDefinition(exported: unknown): EnvironmentDefinition | undefined {
  if (isEnvironmentDefinition(exported)) return exported;
  const isClass =
    typeof exported === 'function' && exported.prototype !== undefined && marker in Object(exported.prototype);
  return isClass ? toDefinition(exported as EnvironmentClass) : undefined;
}
