/** Where an agent ends by itself. */
export interface AgentLimits {
  /** Calls of the model. */
  maxTurns: number;
  /** Tokens of all calls together, as the server counts them. Looked at before each call. */
  maxTokens: number;
  /** Time for everything, waiting for a person included. */
  maxMs: number;
  /** Time for one call of a tool that does not say its own. */
  toolMs: number;
  /** Calls of tools in one reply; what is beyond is answered and not run. */
  maxCallsPerReply: number;
  /** Characters of a tool's result that the model gets. */
  resultCharacters: number;
}

/** What is left out is the default. */
export type GivenLimits = { readonly [Name in keyof AgentLimits]?: number | undefined };

export const DEFAULT_AGENT_LIMITS: Readonly<AgentLimits> = Object.freeze({
  maxTurns: 50,
  maxTokens: Number.POSITIVE_INFINITY,
  maxMs: Number.POSITIVE_INFINITY,
  toolMs: 60_000,
  // A model that has lost its way repeats one call for as long as it is let.
  maxCallsPerReply: 32,
  // About 5,000 tokens; a few such results still fit the context of a small model.
  resultCharacters: 20_000,
});

export function readLimits(given: GivenLimits = {}): AgentLimits {
  const limits = { ...DEFAULT_AGENT_LIMITS };
  for (const name of Object.keys(limits) as (keyof AgentLimits)[]) {
    const value = given[name];
    if (value === undefined) continue;
    // NaN compares as false with everything: such a limit would never be reached.
    if (!(value > 0)) throw new RangeError(`${name} is ${value}; a limit of an agent is a number above 0.`);
    limits[name] = value;
  }
  return limits;
}
