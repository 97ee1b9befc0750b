import { blankSource } from './blank-source.ts';

export type DeclarationKind = 'function' | 'class' | 'const' | 'interface' | 'type';

export interface Declaration {
  kind: DeclarationKind;
  /** As it is written, without its body, on one line. */
  signature: string;
  /** The first sentence of the comment above it; of its schema, for a type that is inferred from one. */
  sentence: string | undefined;
}

/** Longer ones are cut: the page says what a name is for, and the editor shows all of its fields. */
const MAX_SIGNATURE = 200;

/** The declaration of a name at the top level of a source, or undefined when it is declared elsewhere. */
export function readDeclaration(source: string, exported: string): Declaration | undefined {
  const name = exported === 'default' ? /^export default (?<name>[\w$]+);/m.exec(source)?.groups?.['name'] : exported;
  if (name === undefined) return undefined;
  const start = findDeclaration(source, name);
  if (start === undefined) return undefined;
  const { kind, offset } = start;
  const text = readText(source, start);
  return {
    kind,
    signature: shorten(text),
    sentence: readSentence(source, offset) ?? readSentenceOfPartner(source, name, text),
  };
}

interface Start {
  kind: DeclarationKind;
  /** Where the declaration begins, and where its name ends. */
  offset: number;
  end: number;
}

function findDeclaration(source: string, name: string): Start | undefined {
  const pattern = new RegExp(
    `^(?:export\\s+)?(?:declare\\s+)?(?:abstract\\s+)?(?:async\\s+)?(?<kind>interface|type|const|let|function\\*?|class)\\s+${name.replaceAll('$', '\\$')}(?![\\w$])`,
    'm',
  );
  const match = pattern.exec(source);
  if (match === null) return undefined;
  const word = String(match.groups?.['kind']).replace('*', '');
  const kind = word === 'let' ? 'const' : (word as DeclarationKind);
  return { kind, offset: match.index, end: match.index + match[0].length };
}

/** The declaration without its body: to the brace that opens it, or to the end of a type or a value. */
function readText(source: string, { kind, offset, end }: Start): string {
  // What is shown is shorter than this by far, and most files are longer.
  const piece = source.slice(offset, offset + 1_500);
  const shape = blankSource(piece, { strings: true });
  const code = blankSource(piece);
  let depth = 0;
  let index = end - offset;
  for (; index < shape.length; index += 1) {
    const char = shape[index];
    const isBody = char === '{' && depth === 0 && opensBody(shape.slice(end - offset, index), kind);
    if (isBody || (char === ';' && depth === 0)) break;
    if (char === '{' || char === '(' || char === '[') depth += 1;
    if (char === '}' || char === ')' || char === ']') depth -= 1;
    if (kind === 'interface' && char === '}' && depth === 0) {
      index += 1;
      break;
    }
  }
  return code
    .slice(0, index)
    .replace(/^export\s+/, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^async /, '')
    .trim();
}

/** In `f(): { a: 1 } {` the first brace belongs to the type, and the second opens the body. */
function opensBody(before: string, kind: DeclarationKind): boolean {
  if (kind === 'class') return true;
  return kind === 'function' && /(?:[\w$>\])}'"`])\s*$/.test(before) && !/=>\s*$|\bis\s*$/.test(before);
}

function shorten(text: string): string {
  const signature = hideValue(hideParts(text))
    .replaceAll(/, (?<close>[)}\]])/g, ' $<close>')
    .replaceAll('( ', '(')
    .replaceAll(' )', ')')
    .replaceAll('; }', ' }')
    .replaceAll(/(?<before>[=(:]) ?\| /g, (_, before: string) => (before === '(' ? '(' : `${before} `));
  return signature.length <= MAX_SIGNATURE ? signature : `${signature.slice(0, MAX_SIGNATURE).trimEnd()}…`;
}

/** What a function takes apart is nothing to its callers: `({ a, b = {} }: Options)` is `(options: Options)`. */
function hideParts(text: string): string {
  const start = /^function \*?[\w$]+(?:<[^(]*>)?\( ?(?=\{)/.exec(text)?.[0];
  if (start === undefined) return text;
  let depth = 0;
  let end = start.length;
  do {
    if (text[end] === '{') depth += 1;
    if (text[end] === '}') depth -= 1;
    end += 1;
  } while (depth > 0 && end < text.length);
  return `${start}options${text.slice(end)}`;
}

/** Of a value its type is enough, where it is written; of a function what it takes and gives. */
function hideValue(text: string): string {
  const typed = /^const [\w$]+: (?:[^=]|=>)+(?= = )/.exec(text)?.[0];
  if (typed !== undefined) return typed;
  if (!/^const [\w$]+ = (?:async )?(?:<[^(]*>)?\(/.test(text)) return text;
  let depth = 0;
  for (let end = text.indexOf('('); end < text.length; end += 1) {
    if ('([{'.includes(String(text[end]))) depth += 1;
    if (')]}'.includes(String(text[end]))) depth -= 1;
    if (depth === 0 && text.startsWith(' => ', end)) return text.slice(0, end);
  }
  return text;
}

/** The first sentence of the comment that stands directly above an offset. */
function readSentence(source: string, offset: number): string | undefined {
  const before = source.slice(0, offset).trimEnd();
  const start = before.lastIndexOf('/*');
  if (!before.endsWith('*/') || !before.startsWith('/**', start)) return undefined;
  const comment = before.slice(start + 3, -2);
  const [paragraph = ''] = comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trimEnd())
    .join('\n')
    .trim()
    .split(/\n\s*\n|\n@/);
  return firstSentence(paragraph.replaceAll(/\s+/g, ' ').trim());
}

function firstSentence(text: string): string | undefined {
  if (text === '' || text.startsWith('@')) return undefined;
  let isCode = false;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '`') isCode = !isCode;
    // `such as 0.5` and `e.g. this` end no sentence.
    const isEnd = /[.!?]/.test(String(text[index])) && /^\s(?![a-z])|^$/.test(text.slice(index + 1, index + 3));
    if (isEnd && !isCode) return text.slice(0, index + 1);
  }
  return text;
}

/** `type Run = z.infer<typeof runSchema>` and its schema share the comment of whichever has one. */
function readSentenceOfPartner(source: string, name: string, text: string): string | undefined {
  const partner =
    /=\s*(?:Readonly<)?(?:z\.(?:infer|output|input)<typeof |\(?(?:keyof )?\(?typeof )(?<partner>[\w$]+)/.exec(text)
      ?.groups?.['partner'] ??
    new RegExp(
      `^export type (?<partner>[\\w$]+) = z\\.(?:infer|output)<typeof ${name.replaceAll('$', '\\$')}>;`,
      'm',
    ).exec(source)?.groups?.['partner'];
  const start = partner === undefined ? undefined : findDeclaration(source, partner);
  return start === undefined ? undefined : readSentence(source, start.offset);
}
