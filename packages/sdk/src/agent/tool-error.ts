const marker = Symbol.for('lachesis.sdk.tool-error');

export interface ToolErrorOptions {
  /** What happened, to which thing. */
  what: string;
  reason?: string | undefined;
  /** What the model can do now. */
  hint?: string | undefined;
  /** What the model gets in the place of the sentence, for a tool that words its failures itself. */
  answer?: string | undefined;
  cause?: unknown;
}

/** Thrown by a tool that cannot do a call; the model is told the message and goes on. The model reads it. */
export class ToolError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is ToolError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'ToolError';
  readonly [marker] = true;
  readonly what: string;
  readonly reason: string | undefined;
  readonly hint: string | undefined;
  readonly answer: string | undefined;

  constructor({ what, reason, hint, answer, cause }: ToolErrorOptions) {
    const sentence = `${what}${reason === undefined ? '' : `: ${reason}`}.${hint === undefined ? '' : ` ${hint}.`}`;
    super(sentence, cause === undefined ? undefined : { cause });
    this.what = what;
    this.reason = reason;
    this.hint = hint;
    this.answer = answer;
  }
}
