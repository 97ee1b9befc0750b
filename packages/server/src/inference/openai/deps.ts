import type { ToolCallFormat } from '@lachesis/protocol';
import type { GuardParts } from '../calls/guard-completion.ts';
import type { ServedModels } from '../policy/served-models.ts';
import type { CallRecorder } from '../recording/call-recorder.ts';
import type { PolicySampler } from '../tokens/policy-sampler.ts';
import type { TokenTexts } from '../tokens/token-texts.ts';

/** What the routes over a token backend work with. */
export interface HandlerDeps extends GuardParts {
  station: PolicySampler;
  texts: TokenTexts;
  /** The name the policy is served under. */
  modelName: string;
  models: ServedModels;
  /** Overrides the family's way of writing calls; null leaves calls in the text. */
  toolFormat: ToolCallFormat | null | undefined;
  separatesReasoning: boolean;
  recorder: CallRecorder;
  nextId: () => string;
  /** Milliseconds since 1970. */
  now: () => number;
}
