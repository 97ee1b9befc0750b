import type { PromptReply } from '../tokens/token-station.ts';

/** What goes to the caller, and what it was made from. */
export interface GenerateAnswer {
  answer: unknown;
  sampled: PromptReply[];
}
