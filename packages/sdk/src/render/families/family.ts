import type { ToolCallFormat } from '@lachesis/protocol';

/** What a family of models does its own way. Everything else comes from the model's own template and tokenizer. */
export interface Family {
  readonly name: string;
  /** How its models write tool calls; undefined when its template knows none. */
  readonly toolFormat: ToolCallFormat | undefined;
  /**
   * In which form its template prints the arguments of a call: as an object, as JSON text, or either. Given text where an
   * object is printed, a template would print a quoted string; given an object where text is added, it would fail.
   */
  readonly toolArguments: 'object' | 'text' | 'either';
  /** The variable of the template that switches thinking; undefined when there is no switch. */
  readonly thinkingVariable: string | undefined;
  /** What encloses the reasoning in a reply. */
  readonly reasoning: { readonly open: string; readonly close: string } | undefined;
  /** Tokens after which a reply is over, besides the model's own end token. */
  readonly stopTokens: readonly string[];
  /** Tokens that are no turn markers and that its models write themselves: allowed in messages of the assistant. */
  readonly replyTokens: readonly string[];
}

export interface FamilyFile {
  /** Makes the family when the template is one of its own, and undefined otherwise. */
  readonly recognise: (template: string) => Family | undefined;
}
