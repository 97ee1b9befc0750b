import type { Clock } from '@lachesis/protocol';
import type { ResolvedConfig } from '../../config/resolve-config.ts';
import type { EnvironmentRunConfig } from '../config/resolve-environment-config.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { EnvironmentDefinition } from '../definition.ts';
import type { Policy } from '../policy/policy.ts';
import type { ProgressMode } from '../runner/create-progress.ts';

/** What the three modes share once arguments are read. */
export interface CommandRun {
  readonly definition: EnvironmentDefinition;
  readonly resolved: ResolvedConfig<EnvironmentRunConfig>;
  readonly servers: readonly ServerConfig[];
  readonly policyFor: (wish: { model?: string; needsTokens: boolean }) => Policy;
  readonly json: boolean;
  readonly progressMode: ProgressMode;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly nextId: () => string;
}
