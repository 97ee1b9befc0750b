import type { CompiledTemplate } from '../template/compile-template.ts';
import type { TextMark } from '../template/text-mark.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';

/** The tokens by which a conversation is divided, and which text of messages must therefore not become. */
export interface ControlTokens {
  /** Finds any of them, the longest first. */
  readonly everywhere: RegExp;
  /** The same without those that the model writes itself, for messages of the assistant. */
  readonly inReplies: RegExp;
  /** From longest to shortest. */
  readonly texts: readonly string[];
}

const found = new WeakMap<Tokenizer, Map<CompiledTemplate, ControlTokens>>();

/**
 * Special tokens, and the added tokens that the template writes: some families mark turns with tokens that are not special.
 * White space is never a marker, though Gemma has tokens for it.
 */
export function findControlTokens(tokenizer: Tokenizer, template: CompiledTemplate): ControlTokens {
  const byTemplate = found.get(tokenizer) ?? new Map<CompiledTemplate, ControlTokens>();
  found.set(tokenizer, byTemplate);
  const known = byTemplate.get(template);
  if (known !== undefined) return known;
  const texts = tokenizer.addedTokens
    .filter(({ text, isSpecial }) => isSpecial || isWritten(template, text))
    .map(({ text }) => text)
    .sort((a, b) => b.length - a.length);
  const own = new Set(tokenizer.family.replyTokens);
  const special = new Set(tokenizer.addedTokens.filter(({ isSpecial }) => isSpecial).map(({ text }) => text));
  const tokens: ControlTokens = {
    texts,
    everywhere: toPattern(texts),
    inReplies: toPattern(texts.filter((text) => special.has(text) || !own.has(text))),
  };
  byTemplate.set(template, tokens);
  return tokens;
}

const isWritten = (template: CompiledTemplate, text: string): boolean =>
  text.trim() !== '' && template.literals.some((literal) => literal.includes(text));

/** The look at the first character spares hundreds of comparisons at each place of a text. */
function toPattern(texts: readonly string[]): RegExp {
  const firsts = new Set(texts.map((text) => Array.from(text)[0] ?? ''));
  const isFirst = [...firsts].map((first) => RegExp.escape(first)).join('');
  // A pattern without alternatives would match everywhere; this one matches nowhere.
  if (texts.length === 0) return /(?!)/gu;
  return new RegExp(`(?=[${isFirst}])(?:${texts.map((text) => RegExp.escape(text)).join('|')})`, 'gu');
}

/** Puts the mark behind the first character of each control token in a text. */
export function markText(text: string, pattern: RegExp, mark: string): string {
  return text.replaceAll(pattern, (token) => {
    const [first = ''] = token;
    return first + mark + token.slice(first.length);
  });
}

/** A character of the private use area that none of the texts has. */
export function pickMark(used: ReadonlySet<string>): string {
  for (let code = 0xe000; code <= 0xf8ff; code += 1) {
    const character = String.fromCharCode(code);
    if (!used.has(character)) return character;
  }
  throw new RangeError('every private character is in use');
}

export interface TextPiece {
  readonly text: string;
  /** This is the text of a control token, and is to stay text. */
  readonly isPlain: boolean;
}

/** Takes the marks out again, and cuts the text where they were. */
export function cutAtMarks(text: string, mark: TextMark, texts: readonly string[]): TextPiece[] {
  const { character } = mark;
  if (character === undefined) return [{ text, isPlain: false }];
  const pieces: TextPiece[] = [];
  const add = (piece: string, isPlain: boolean): void => {
    if (piece !== '') pieces.push({ text: piece, isPlain });
  };
  let rest = text;
  for (let at = rest.indexOf(character); at >= 0; at = rest.indexOf(character)) {
    // A mark stands behind one character, which may be a surrogate pair.
    const first = Array.from(rest.slice(Math.max(0, at - 2), at)).at(-1) ?? '';
    const start = at - first.length;
    const after = first + rest.slice(at + character.length);
    const token = texts.find((candidate) => after.startsWith(candidate));
    // A template that cut the token leaves a mark alone; the text is still divided there, so that nothing grows together.
    add(rest.slice(0, token === undefined ? at : start), false);
    if (token !== undefined) add(token, true);
    rest = token === undefined ? rest.slice(at + character.length) : after.slice(token.length);
  }
  add(rest, false);
  return pieces;
}
