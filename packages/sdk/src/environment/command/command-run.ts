import type { NamedText } from '../check/find-contamination.ts';
import type { ChatMessage, Clock } from '@lachesis/protocol';
import type { ResolvedConfig } from '../../config/resolve-config.ts';
import type { EnvironmentRunConfig } from '../config/resolve-environment-config.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { EnvironmentDefinition } from '../definition.ts';
import type { Outcome } from '../outcome.ts';
import type { Policy } from '../policy/policy.ts';
import type { ProgressMode } from '../runner/create-progress.ts';

/** What the three modes share once arguments are read. */
export interface CommandRun {
  readonly definition: EnvironmentDefinition;
  readonly resolved: ResolvedConfig<EnvironmentRunConfig>;
  readonly servers: readonly ServerConfig[];
  readonly policyFor: (wish: { model?: string; needsTokens: boolean }) => Policy;
  /** Of the process. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly json: boolean;
  readonly progressMode: ProgressMode;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly nextId: () => string;
  /** Whether an evaluation looks for its items among those of training. */
  readonly checksContamination: boolean;
  /** Where it looks besides. */
  readonly trainingTexts: AsyncIterable<NamedText> | Iterable<NamedText>;
  readonly onConversation: (conversation: RolledOutConversation) => void;
}

/** A conversation of `process` or `evaluate`, for whoever keeps them besides the files. */
export interface RolledOutConversation {
  /** The task, as the environment calls it. */
  readonly task: string;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly outcome: Outcome;
}
