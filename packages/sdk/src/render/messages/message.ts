/** A message as a template reads it: whatever it holds beside its role. Every chat message is one. */
export interface TemplateMessage {
  readonly role: string;
  readonly [field: string]: unknown;
}

/** A tool as the chat APIs have it: `{type: 'function', function: {name, description, parameters}}`. */
export type Tool = Readonly<Record<string, unknown>>;

export interface RenderOptions {
  /** Which of the model's templates; default: the one that transformers would take. */
  readonly template?: string;
  /** Switches thinking on or off, for models that can. */
  readonly thinking?: boolean;
  readonly documents?: readonly Readonly<Record<string, unknown>>[];
  /** Further variables for the template, by the names it uses. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /**
   * `family` (the default) hands the arguments of calls to the template in the form it prints, whatever form they come in;
   * `as-given` leaves them alone, as Python does.
   */
  readonly toolArguments?: 'family' | 'as-given';
  /**
   * Lets the text of control tokens in messages become control tokens, as Python does by default. Whoever writes a message
   * can then end it and begin one in another's name: only for text you wrote yourself.
   */
  readonly allowControlTokens?: boolean;
  /** The clock of `strftime_now`. */
  readonly now?: () => number;
}
