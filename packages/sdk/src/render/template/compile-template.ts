import { parse, tokenize } from '@huggingface/jinja';
import { RenderError } from '../errors/render-error.ts';
import type { Node } from './nodes.ts';

export interface CompiledTemplate {
  readonly source: string;
  readonly program: Node;
  /** The template marks what the model writes with `{% generation %}`. */
  readonly hasGenerationMarks: boolean;
  /** Every text and string in the template; a control token that stands in one of them is written by the template. */
  readonly literals: readonly string[];
}

/** The variable that stands for the tag `generation`, which the parser would leave out without a trace. */
export const GENERATION_VARIABLE = '__lachesis_generation';

const GENERATION_TAG = /\{%(?<open>[-+]?)\s*(?<end>end)?generation\s*(?<close>[-+]?)%\}/g;

export function compileTemplate(source: string): CompiledTemplate {
  // Jinja reads every kind of line end as \n before it does anything else.
  const lines = source.replaceAll(/\r\n?/g, '\n');
  const marked = lines.replaceAll(
    GENERATION_TAG,
    (_tag, open: string, end: string | undefined, close: string) =>
      `{%${open} set ${GENERATION_VARIABLE} = ${end === undefined} ${close}%}`,
  );
  try {
    const tokens = tokenize(marked, { lstrip_blocks: true, trim_blocks: true });
    refuseMisreadNumbers(tokens);
    const program = parse(tokens) as unknown as Node;
    return { source, program, hasGenerationMarks: marked !== lines, literals: collectLiterals(program) };
  } catch (cause) {
    throw new RenderError({
      kind: 'template-failed',
      reason: `The chat template cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
      cause,
    });
  }
}

/** The parser takes `1e3` for two words, and a list of two for a list of three. */
function refuseMisreadNumbers(tokens: readonly { readonly type: string; readonly value: string }[]): void {
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    if (token.type === 'NumericLiteral' && next?.type === 'Identifier' && /^(?:[eE]\d|_)/.test(next.value)) {
      throw new SyntaxError(`the number ${token.value}${next.value} is not supported`);
    }
  }
}

function collectLiterals(program: Node): string[] {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      for (const child of node) visit(child);
    } else if (node instanceof Map) {
      for (const [key, value] of node) {
        visit(key);
        visit(value);
      }
    } else if (typeof node === 'object' && node !== null) {
      if ('type' in node && node.type === 'StringLiteral' && 'value' in node) found.add(String(node.value));
      for (const child of Object.values(node)) visit(child);
    }
  };
  visit(program);
  return [...found];
}
