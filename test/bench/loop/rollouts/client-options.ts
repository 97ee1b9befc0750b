export interface ClientOptions {
  readonly url: string;
  /** `chat`: OpenAI's chat completions. `generate`: SGLang's route, which is what environments of tinker-atropos ask. */
  readonly wire: 'chat' | 'generate';
  /** Rollouts of one request. */
  readonly samples: number;
  readonly replyTokens: number;
  /** Requests under way at any moment: each answer is followed by the next request. */
  readonly atOnce: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface ClientResult {
  /** Whole rollouts that came back in the time. */
  readonly rollouts: number;
  /** Those of the warm-up and of the last answers included. */
  readonly allRollouts: number;
  readonly seconds: number;
  readonly failures: readonly string[];
}
