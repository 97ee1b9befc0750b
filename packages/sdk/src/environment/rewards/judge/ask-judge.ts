import type { ChatMessage } from '@lachesis/protocol';

export interface JudgeQuestion {
  readonly messages: readonly ChatMessage[];
  /** JSON Schema the reply has to fit. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Asks a model and gives its text back. Throws when there is none. */
export type AskJudge = (question: JudgeQuestion) => Promise<string>;

const marker = Symbol.for('lachesis.sdk.judge-error');

/** Thrown when the judge could not be asked; the rollout then has no reward. */
export class JudgeError extends Error {
  static isInstance(value: unknown): value is JudgeError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'JudgeError';
  readonly [marker] = true;
  readonly url: string;
  readonly status: number | undefined;
  readonly retryable: boolean;

  constructor({ url, status, reason }: { url: string; status?: number; reason: string }) {
    super(`${url} ${status === undefined ? '' : `answered ${status}: `}${reason}`);
    this.url = url;
    this.status = status;
    this.retryable = status === undefined || status === 408 || status === 429 || status >= 500;
  }
}
