import type { AgentEndReason } from '../../agent/agent-result.ts';
import type { EgressLogEntry } from '../../egress/proxy/egress-log.ts';
import { findDifference } from '../rollout/join-turns.ts';
import { summariseTrajectory, type RolloutResult, type Trajectory } from '../rollout/rollout-result.ts';
import type { PolicyRange } from '../policy/policy.ts';

/** Why the agent stopped. The list is closed: what is not in it is a failure of the rollout and not a result. */
export const AGENT_STOP_REASONS = Object.freeze([
  /** A reply without a call. */
  'answered',
  /** The last reply reached its limit of tokens. */
  'reply-cut',
  /** Neither text nor a call. */
  'empty-reply',
  'max-turns',
  /** The sequence is full, or `max_agent_tokens` were sampled. */
  'max-tokens',
  'max-calls',
  /** `agent_timeout`. */
  'deadline',
  /** More calls than allowed could not be read. */
  'parse-failures',
] as const);

export type AgentStopReason = (typeof AGENT_STOP_REASONS)[number];

/** One reply as it was sampled. */
export interface AgentTurn {
  /** What the server put in front of the model; empty when it does not tell. */
  readonly promptTokens: Int32Array;
  readonly tokens: Int32Array;
  readonly logprobs: Float32Array;
  readonly policyVersion: number | undefined;
  readonly policyRanges: readonly PolicyRange[] | undefined;
  readonly finishReason: string;
  /** Its prompt does not begin with the turn before: a row of its own begins here. */
  readonly isFork: boolean;
  /** It is not trained on. */
  readonly isMasked: boolean;
  /** What could not be read of it, as reasons; empty for a reply that could be read. */
  readonly malformedCalls: readonly string[];
}

/** A finished rollout of an agent: its turns, why it stopped, and which calls could not be read. */
export interface AgentRolloutResult extends RolloutResult {
  readonly stopReason: AgentStopReason;
  readonly turns: readonly AgentTurn[];
  /** Replies with a call that could not be read. */
  readonly parseFailures: number;
  /** What commands asked of the network, where `network_allow` gives them one. */
  readonly networkLog?: readonly EgressLogEntry[];
}

export interface AgentRun {
  readonly trajectory: Trajectory;
  readonly stopReason: AgentStopReason;
  /** By the place of the reply. */
  readonly malformedCalls: ReadonlyMap<number, readonly string[]>;
}

export function summariseAgentRun({ trajectory, stopReason, malformedCalls }: AgentRun): AgentRolloutResult {
  return {
    ...summariseTrajectory(trajectory),
    stopReason,
    finishedNaturally: stopReason === 'answered',
    parseFailures: malformedCalls.size,
    turns: trajectory.completions.map((completion, index, all): AgentTurn => {
      const before = all[index - 1];
      const {
        promptTokens,
        tokens,
        logprobs,
        policyVersion,
        policyRanges,
        finishReason,
        isMasked = false,
      } = completion;
      return {
        ...{ promptTokens, tokens, logprobs, policyVersion, policyRanges, finishReason, isMasked },
        isFork: before !== undefined && findDifference(before, promptTokens) !== undefined,
        malformedCalls: malformedCalls.get(index) ?? [],
      };
    }),
  };
}

const STOP_REASONS: Readonly<Partial<Record<AgentEndReason, AgentStopReason>>> = {
  answered: 'answered',
  'cut-off': 'reply-cut',
  'empty-reply': 'empty-reply',
  'max-turns': 'max-turns',
  'max-tokens': 'max-tokens',
  deadline: 'deadline',
};

/** Undefined for what is no result: the model failed, or the run was ended. */
export const toStopReason = (reason: AgentEndReason): AgentStopReason | undefined => STOP_REASONS[reason];

export const isAgentRolloutResult = (result: RolloutResult): result is AgentRolloutResult => 'stopReason' in result;
