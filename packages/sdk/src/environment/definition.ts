import type { ChatMessage } from '@lachesis/protocol';
import type { z } from 'zod';
import type { BaseConfig, BaseConfigInput } from './config/base-config.ts';
import type { ServerConfigInput } from './config/server-config.ts';
import type { Random } from './create-random.ts';
import type { Outcome } from './outcome.ts';
import type { Completion, PolicyRequest, ToolDescription } from './policy/policy.ts';
import type { ScriptedReply } from './policy/create-scripted-policy.ts';
import type { RolloutResult, Trajectory } from './rollout/rollout-result.ts';
import type { Drawn, Split } from './split.ts';

/** The configuration an environment sees: what all have, and its own fields. */
export type EnvironmentConfig<Own> = BaseConfig & Own;

/** What is known before there are items. */
export interface SetupContext<Own = Record<string, unknown>> {
  readonly config: EnvironmentConfig<Own>;
  /** Decided by `config.seed`. */
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly log: (text: string) => void;
}

/** What is known before there is a rollout: the above and what `setup` gave. */
export interface ItemContext<Own = Record<string, unknown>, State = unknown> extends SetupContext<Own> {
  readonly state: State;
}

/** What a rollout knows. `random` is its own: the same item and rollout draw the same numbers again. */
export interface RolloutContext<Own = Record<string, unknown>, State = unknown> extends ItemContext<Own, State> {
  readonly split: Split;
  readonly rolloutId: string;
}

/** What grading may give back. A number is `scored`; what is thrown is `failed('verifier')`. */
export type RewardReply = Outcome | number | { readonly reward: number; readonly signals?: Record<string, number> };

/** The conversation so far, after a reply of the model. */
export interface Conversation {
  readonly messages: readonly ChatMessage[];
  /** The message the model just gave. */
  readonly reply: ChatMessage;
  /** Its text. */
  readonly text: string;
  /** How many replies the model gave, this one included. */
  readonly turn: number;
}

/** What comes after a reply: further messages, or nothing, which ends the rollout. */
export type NextMessages = ChatMessage | readonly ChatMessage[] | undefined;

export type PromptReply = string | readonly ChatMessage[];

/** Asks the policy inside one rollout. */
export type Sample = (
  request: Pick<PolicyRequest, 'messages'> &
    Partial<Pick<PolicyRequest, 'samples' | 'maxTokens' | 'temperature' | 'stop' | 'tools'>>,
) => Promise<Trajectory[]>;

/** For environments that drive the rollouts of an item themselves. */
export interface CollectContext<Own = Record<string, unknown>, State = unknown> extends RolloutContext<Own, State> {
  /** How many trajectories are wanted. */
  readonly samples: number;
  readonly sample: Sample;
}

/** Asks the policy for the next reply of one rollout; the sampling settings and the seed are the runner's. */
export type AskPolicy = (
  request: Pick<PolicyRequest, 'messages' | 'tools' | 'extraBody'> & {
    /** Of this reply, where the settings would allow more. */
    readonly maxTokens?: number | undefined;
    /** The reply before, whose tokens the prompt goes on from. */
    readonly last?: Completion | undefined;
    readonly signal?: AbortSignal | undefined;
  },
) => Promise<Completion>;

/** What an environment that drives its rollouts is given for one. */
export interface RollOutOptions {
  readonly context: RolloutContext;
  /** The prompt, the system prompt of the configuration included. */
  readonly messages: readonly ChatMessage[];
  readonly ask: AskPolicy;
}

/** A rollout from its prompt to its grade. */
export interface DrivenRollout {
  readonly trajectory: Trajectory;
  readonly result: RolloutResult;
  readonly outcome: Outcome;
}

/** An answer to have graded without a model: a text, or the replies of several turns. */
export type ExampleAnswer = string | readonly (string | ScriptedReply)[];

export interface Examples {
  readonly right: ExampleAnswer;
  readonly wrong: ExampleAnswer;
  /**
   * A reply of the right form, whatever it earns, for the warm-up of a model that would never write one. `right` is taught
   * when it is absent, and then little is left to learn.
   */
  readonly warmUp?: string;
}

/** One reply to an evaluation item. */
export interface EvaluationSample {
  readonly key: string;
  readonly item: unknown;
  readonly outcome: Outcome;
  readonly result: RolloutResult | undefined;
}

/** What `evaluate` may use: items of the evaluation split and rollouts at the evaluation temperature, and nothing that trains. */
export interface EvaluationContext<Own = Record<string, unknown>, State = unknown> extends ItemContext<Own, State> {
  readonly items: readonly Drawn<'eval'>[];
  /** Rolls out and grades one item with `formatPrompt` and `computeReward`; of several samples the first is given back. */
  readonly run: (drawn: Drawn<'eval'>) => Promise<EvaluationSample>;
  /** The same for all items, as many at once as the configuration allows. */
  readonly runAll: () => Promise<readonly EvaluationSample[]>;
}

/** One graded rollout of training, for own metrics. */
export interface GradedRollout {
  readonly item: unknown;
  readonly result: RolloutResult;
  readonly outcome: Outcome;
}

/**
 * An environment that was set up with its configuration and gives items. Items travel inside `Drawn`, so that the
 * split is never lost.
 */
export interface OpenedEnvironment {
  readonly config: EnvironmentConfig<Record<string, unknown>>;
  /** The item at a place of the endless, seeded order of training; undefined when there is none now. */
  drawTrainItem(index: number): Promise<Drawn<'train'> | undefined>;
  listEvaluationItems(): Promise<readonly Drawn<'eval'>[]>;
  formatPrompt(drawn: Drawn<Split>, context: RolloutContext): Promise<PromptReply>;
  computeReward(drawn: Drawn<Split>, result: RolloutResult, context: RolloutContext): Promise<RewardReply>;
  listTools(drawn: Drawn<Split>, context: RolloutContext): Promise<readonly ToolDescription[] | undefined>;
  /** Absent for one turn. */
  nextMessages?(drawn: Drawn<Split>, conversation: Conversation, context: RolloutContext): Promise<NextMessages>;
  /** Absent when the runner samples. */
  collectTrajectories?(drawn: Drawn<Split>, context: CollectContext): Promise<readonly Trajectory[]>;
  /**
   * Absent when the runner asks turn by turn. Drives one rollout and grades it while what the rollout holds is still there;
   * everything is released when it settles, so such a grade cannot be repeated later.
   */
  rollOut?(drawn: Drawn<Split>, options: RollOutOptions): Promise<DrivenRollout>;
  overrides?(
    drawn: Drawn<'train'>,
    result: RolloutResult,
    context: RolloutContext,
  ): Record<string, unknown> | undefined;
  groupOverrides?(drawn: Drawn<'train'>): Record<string, unknown> | undefined;
  /** Absent: every item is rolled out once and graded. */
  evaluate?(context: EvaluationContext): Promise<Record<string, number>>;
  metrics?(rollouts: readonly GradedRollout[], split: Split): Record<string, number>;
  examples?(item: unknown, context: ItemContext): Examples | undefined;
  /** Absent where a prompt and its answer do not make a task. */
  itemOf?(given: { readonly prompt: string; readonly expected: string }): unknown;
  readonly state: unknown;
  close(): Promise<void>;
}

export interface OpenEnvironmentOptions {
  /** Base fields and own fields together, as `resolveEnvironmentConfig` gives them. */
  readonly config: Record<string, unknown>;
  readonly signal?: AbortSignal | undefined;
  readonly log?: ((text: string) => void) | undefined;
}

const marker = Symbol.for('lachesis.sdk.environment-definition');

/** What `defineEnvironment` and `class Environment` both become. */
export interface EnvironmentDefinition {
  readonly [marker]: true;
  readonly name: string;
  readonly description: string;
  /** Own fields; the base fields are not in it. */
  readonly configSchema: z.ZodObject;
  /** The environment's defaults for fields of the section `env`. */
  readonly defaults: Readonly<Partial<BaseConfigInput> & Record<string, unknown>>;
  readonly servers: readonly ServerConfigInput[];
  /** Which text of the environment's own functions made a group; what they import is not in it. */
  readonly digest: string;
  readonly verifierDigest: string;
  open(options: OpenEnvironmentOptions): Promise<OpenedEnvironment>;
}

export const markDefinition = (definition: Omit<EnvironmentDefinition, typeof marker>): EnvironmentDefinition => ({
  ...definition,
  [marker]: true,
});

export const isEnvironmentDefinition = (value: unknown): value is EnvironmentDefinition =>
  typeof value === 'object' && value !== null && marker in value;
