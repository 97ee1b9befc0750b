const marker = Symbol.for('lachesis.sdk.render-error');

/** What can go wrong between messages and tokens. Names are public: add, do not rename. */
export type RenderErrorKind =
  /** The optional package `tokenizers` is not installed, or has no binary for this machine. */
  | 'no-tokenizers-package'
  /** A file of the model's folder is absent. */
  | 'missing-file'
  /** A file of the model's folder is there and cannot be used. */
  | 'bad-file'
  /** The model has no chat template, or none of the name asked for. */
  | 'no-template'
  /** The template itself refused these messages with `raise_exception`. */
  | 'template-refused'
  /** The template cannot be read, or does with these messages what Python would not do either. */
  | 'template-failed'
  /** A text that has no UTF-8 form. */
  | 'lone-surrogate'
  /** The tokenizer makes a control token even of plain text, so the text cannot be told from a turn marker. */
  | 'control-token'
  /** The messages, tools or options do not have the shape they need. */
  | 'bad-input';

export interface RenderErrorOptions {
  kind: RenderErrorKind;
  /** What happened, to which file, field or token; never the text of a message. */
  reason: string;
  /** What the caller can do now. */
  hint?: string;
  cause?: unknown;
}

/** Thrown when messages cannot be made into tokens, or tokens into a message; `kind` says why. */
export class RenderError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is RenderError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'RenderError';
  readonly [marker] = true;
  readonly kind: RenderErrorKind;
  readonly reason: string;
  readonly hint: string | undefined;

  constructor(options: RenderErrorOptions) {
    super(
      options.hint === undefined ? options.reason : `${options.reason} ${options.hint}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.kind = options.kind;
    this.reason = options.reason;
    this.hint = options.hint;
  }
}
