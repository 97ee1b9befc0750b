import { evaluateExact } from './evaluate-exact.ts';
import type { MathNode, Relation, RelationOperator } from './math-node.ts';
import { createRational, isLessRational, readDecimal } from './rational.ts';
import { readTokens } from './read-tokens.ts';
import { type TokenReader, createTokenReader } from './token-reader.ts';
import { CONSTANTS, FUNCTIONS, GREEK, MATRICES, RELATIONS, SET_OPERATORS } from './vocabulary.ts';

/** Brackets in brackets beyond this are no answer, and would end the stack. */
const MAX_DEPTH = 60;

/** What the parser throws inside itself; whoever calls gets undefined. */
class NotUnderstood extends Error {}

/** Reads what an answer means, or gives undefined where it is not understood; it is then compared as text. */
export function parseLatex(latex: string): MathNode | undefined {
  const tokens = readTokens(latex);
  if (tokens === undefined || tokens.length === 0) return undefined;
  const reader = createTokenReader(tokens);
  try {
    const node = readList(reader, 0);
    return reader.isAtEnd() ? node : undefined;
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

function readList(reader: TokenReader, depth: number): MathNode {
  const items = readItems(reader, depth);
  const [only] = items;
  return items.length === 1 && only !== undefined ? only : { kind: 'list', items };
}

function readItems(reader: TokenReader, depth: number): MathNode[] {
  const items = [readRelation(reader, depth)];
  while (reader.takeMark(',') || reader.takeMark(';')) {
    if (reader.isAtEnd()) break;
    items.push(readRelation(reader, depth));
  }
  return items;
}

function readRelation(reader: TokenReader, depth: number): MathNode {
  if (depth > MAX_DEPTH) throw new NotUnderstood();
  const relations: Relation[] = [];
  let left = readSets(reader, depth);
  for (let operator = takeRelation(reader); operator !== undefined; operator = takeRelation(reader)) {
    const right = readSets(reader, depth);
    if (operator === 'about') {
      // √5 ≈ 2.236 is √5, rounded for the reader; x ≈ 3.14 is all we get to know of x.
      if (relations.length === 0 && left.kind === 'symbol') left = right;
      continue;
    }
    relations.push({ kind: 'relation', operator, left, right });
    left = right;
  }
  const [only] = relations;
  if (only === undefined) return left;
  return relations.length === 1 ? only : { kind: 'chain', relations };
}

function takeRelation(reader: TokenReader): RelationOperator | 'about' | undefined {
  const token = reader.peek();
  if (token === undefined || token.kind === 'text' || token.kind === 'letter') return undefined;
  const operator = RELATIONS.get(token.value);
  if (operator !== undefined) reader.skip();
  return operator;
}

function readSets(reader: TokenReader, depth: number): MathNode {
  let node = readSum(reader, depth);
  for (;;) {
    const token = reader.peek();
    const operator = token?.kind === 'command' ? SET_OPERATORS.get(token.value) : undefined;
    if (operator === undefined) return node;
    reader.skip();
    node = { kind: 'combined-set', operator, parts: [node, readSum(reader, depth)] };
  }
}

function readSum(reader: TokenReader, depth: number): MathNode {
  const terms: MathNode[] = [];
  for (;;) {
    if (reader.takeCommand('pm') || reader.takeCommand('mp') || reader.takeMark('±')) {
      const left = terms.length === 0 ? undefined : wrapSum(terms.splice(0));
      terms.push({ kind: 'plus-minus', left, right: readTerm(reader, depth) });
      continue;
    }
    if (reader.takeMark('-')) terms.push({ kind: 'negation', of: readTerm(reader, depth) });
    else if (reader.takeMark('+') || terms.length === 0) terms.push(readTerm(reader, depth));
    else return wrapSum(terms);
  }
}

function wrapSum(terms: readonly MathNode[]): MathNode {
  const [only] = terms;
  return terms.length === 1 && only !== undefined ? only : { kind: 'sum', terms };
}

/** Factors written side by side bind tighter than a slash: 1/2x is 1/(2x). */
function readTerm(reader: TokenReader, depth: number): MathNode {
  let node = readSideBySide(reader, depth);
  for (;;) {
    if (reader.takeCommand('cdot') || reader.takeCommand('times') || reader.takeMark('*') || reader.takeMark('×')) {
      node = { kind: 'product', factors: [node, readSideBySide(reader, depth)], isWritten: true };
    } else if (reader.takeMark('/') || reader.takeCommand('div') || reader.takeMark(':') || reader.takeMark('÷')) {
      node = { kind: 'quotient', top: node, bottom: readSideBySide(reader, depth) };
    } else return node;
  }
}

function readSideBySide(reader: TokenReader, depth: number): MathNode {
  if (reader.takeMark('-')) return { kind: 'negation', of: readSideBySide(reader, depth) };
  if (reader.takeMark('+')) return readSideBySide(reader, depth);
  const factors = [readFactor(reader, depth)];
  while (startsFactor(reader)) {
    const before = factors.at(-1);
    const next = readFactor(reader, depth);
    // 2\frac{1}{2} is two and a half; x\frac{1}{2} is a product.
    if (before?.kind === 'number' && !before.isDecimal && isFractionOfNumbers(next))
      factors.splice(-1, 1, { kind: 'sum', terms: [before, next] });
    // Two numbers side by side are no product anybody writes.
    else if (before?.kind === 'number' && next.kind === 'number') throw new NotUnderstood();
    else factors.push(next);
  }
  const [only] = factors;
  return factors.length === 1 && only !== undefined ? only : { kind: 'product', factors, isWritten: false };
}

const isFractionOfNumbers = (node: MathNode): boolean =>
  node.kind === 'quotient' &&
  [node.top, node.bottom].every((part) => part.kind === 'number' && !part.isDecimal && part.value.denominator === 1n);

function startsFactor(reader: TokenReader): boolean {
  const token = reader.peek();
  if (token === undefined) return false;
  if (token.kind === 'mark')
    return ['(', '{', '[', '\\{'].includes(token.value) || (token.value === '|' && !reader.isInBars());
  if (token.kind !== 'command') return true;
  return (
    FUNCTIONS.has(token.value) ||
    CONSTANTS.has(token.value) ||
    GREEK.has(token.value) ||
    ['frac', 'sqrt', 'binom', 'lfloor', 'lceil', 'lvert', 'overline', 'lbrace'].includes(token.value)
  );
}

function readFactor(reader: TokenReader, depth: number): MathNode {
  let node = readAtom(reader, depth + 1);
  for (;;) {
    if (reader.takeMark('!')) node = { kind: 'call', name: 'factorial', inputs: [node] };
    else if (reader.takeMark('%')) node = { kind: 'percent', of: node };
    else if (reader.takeMark('°') || reader.takeCommand('degree')) node = { kind: 'degrees', of: node };
    else if (reader.takeMark('^')) {
      if (reader.takeCircle()) node = { kind: 'degrees', of: node };
      else node = { kind: 'power', base: node, exponent: readArgument(reader, depth) };
    } else if (reader.peek()?.value === '_' && (node.kind === 'symbol' || node.kind === 'number')) {
      reader.skip();
      node = readSubscript(reader, node);
    } else return node;
  }
}

/** `a_1` is a name. The base of `1010_2` is not computed with: it belongs to how the number is written. */
function readSubscript(reader: TokenReader, node: MathNode): MathNode {
  const name = reader.readGroupText();
  if (name === undefined) throw new NotUnderstood();
  return node.kind === 'symbol' ? { kind: 'symbol', name: `${node.name}_${name}` } : node;
}

/** After `^`, `\frac`, `\sqrt`: a group in braces, or the very next digit, letter or command. */
function readArgument(reader: TokenReader, depth: number): MathNode {
  if (depth > MAX_DEPTH) throw new NotUnderstood();
  if (reader.takeMark('{')) return readUntil(reader, depth, '}');
  if (reader.takeMark('-')) return { kind: 'negation', of: readArgument(reader, depth) };
  const digit = reader.takeDigit();
  if (digit !== undefined) return readNumber(digit);
  return readAtom(reader, depth + 1);
}

function readUntil(reader: TokenReader, depth: number, mark: string): MathNode {
  const node = readList(reader, depth + 1);
  if (!reader.takeMark(mark)) throw new NotUnderstood();
  return node;
}

function readNumber(text: string): MathNode {
  const value = readDecimal(text);
  if (value === undefined) throw new NotUnderstood();
  return { kind: 'number', value, isDecimal: text.includes('.') };
}

function readAtom(reader: TokenReader, depth: number): MathNode {
  const token = reader.take();
  if (token === undefined || depth > MAX_DEPTH) throw new NotUnderstood();
  switch (token.kind) {
    case 'number':
      return readRepeating(reader, token.value) ?? readNumber(token.value);
    case 'letter':
      return readLetter(reader, token.value, depth);
    case 'text':
      return readWords(reader, token.value, depth);
    case 'environment':
      return readMatrix(reader, token.value, depth);
    case 'mark':
      return readBracket(reader, token.value, depth);
    case 'command':
      return readCommand(reader, token.value, depth);
  }
}

/** 0.1\overline{6}: the digits under the line go on for ever. */
function readRepeating(reader: TokenReader, text: string): MathNode | undefined {
  const digits = reader.takeOverlinedDigits(text);
  if (digits === undefined) return undefined;
  const fixed = text.split('.')[1] ?? '';
  const whole = BigInt(`${text.replace('.', '')}${digits}`) - BigInt(text.replace('.', ''));
  const value = createRational(whole, 10n ** BigInt(fixed.length + digits.length) - 10n ** BigInt(fixed.length));
  if (value === undefined) throw new NotUnderstood();
  return { kind: 'number', value, isDecimal: false };
}

function readLetter(reader: TokenReader, letter: string, depth: number): MathNode {
  if (letter === 'e' || letter === 'i') return { kind: 'constant', name: letter };
  if (letter === 'π') return { kind: 'constant', name: 'pi' };
  if (letter === '∞') return { kind: 'constant', name: 'infinity' };
  // f(x) names a function; x(x+1) is a product.
  if (/[fghFGH]/.test(letter) && reader.peek()?.value === '(') {
    reader.skip();
    return { kind: 'call', name: `function ${letter}`, inputs: [readUntil(reader, depth, ')')] };
  }
  return { kind: 'symbol', name: letter.toLowerCase() };
}

function readWords(reader: TokenReader, words: string, depth: number): MathNode {
  const name = words.toLowerCase();
  if (FUNCTIONS.has(name)) return readFunction(reader, name, depth);
  if (name === 'i' || name === 'e') return { kind: 'constant', name };
  if (name === '') throw new NotUnderstood();
  if (/^\d+(?:\.\d+)?$/.test(name)) return readNumber(name);
  return { kind: 'symbol', name: name.replace(/^\((?<inside>[^()]*)\)$/, '$<inside>').trim() };
}

function readMatrix(reader: TokenReader, name: string, depth: number): MathNode {
  if (!MATRICES.has(name)) throw new NotUnderstood();
  const rows: MathNode[][] = [[]];
  for (;;) {
    if (reader.takeMark('end')) break;
    if (reader.takeMark('\\\\')) {
      if (reader.peek()?.value !== 'end') rows.push([]);
    } else if (!reader.takeMark('&')) rows.at(-1)?.push(readRelation(reader, depth + 1));
  }
  if (rows.some((row) => row.length !== rows[0]?.length)) throw new NotUnderstood();
  return { kind: 'matrix', rows };
}

function readBracket(reader: TokenReader, mark: string, depth: number): MathNode {
  if (mark === '{') return readUntil(reader, depth, '}');
  if (mark === '\\{') return readSet(reader, depth, '\\}');
  if (mark === '|') return readBars(reader, depth, () => reader.takeMark('|'));
  if (mark === '∅') return { kind: 'set', items: [] };
  if (mark !== '(' && mark !== '[') throw new NotUnderstood();
  const items = readItems(reader, depth + 1);
  const isOpenAtEnd = reader.takeMark(')');
  if (!isOpenAtEnd && !reader.takeMark(']')) throw new NotUnderstood();
  const [first, second] = items;
  if (first === undefined) throw new NotUnderstood();
  if (items.length === 1) return first;
  if (items.length > 2 || second === undefined) return { kind: 'tuple', items };
  // (3, 1) holds no number: it is a point.
  const [start, end] = [evaluateExact(first), evaluateExact(second)];
  if (mark === '(' && isOpenAtEnd && start !== undefined && end !== undefined && !isLessRational(start, end))
    return { kind: 'tuple', items };
  return { kind: 'interval', start: first, end: second, isOpenAtStart: mark === '(', isOpenAtEnd };
}

function readSet(reader: TokenReader, depth: number, end: string): MathNode {
  if (reader.takeMark(end)) return { kind: 'set', items: [] };
  const items = readItems(reader, depth + 1);
  if (!reader.takeMark(end)) throw new NotUnderstood();
  return { kind: 'set', items };
}

function readBars(reader: TokenReader, depth: number, takeEnd: () => boolean): MathNode {
  const inside = reader.insideBars(() => readList(reader, depth + 1));
  if (!takeEnd()) throw new NotUnderstood();
  return { kind: 'call', name: 'abs', inputs: [inside] };
}

function readCommand(reader: TokenReader, name: string, depth: number): MathNode {
  const constant = CONSTANTS.get(name);
  if (constant !== undefined) return { kind: 'constant', name: constant };
  if (GREEK.has(name)) return { kind: 'symbol', name };
  if (FUNCTIONS.has(name)) return readFunction(reader, name, depth);
  switch (name) {
    case 'frac':
      return readFraction(reader, depth);
    case 'sqrt':
      return readRoot(reader, depth);
    case 'binom':
      return { kind: 'call', name, inputs: [readArgument(reader, depth), readArgument(reader, depth)] };
    case 'emptyset':
    case 'varnothing':
      return { kind: 'set', items: [] };
    case 'lbrace':
      return readSet(reader, depth, '\\}');
    case 'lvert':
      return readBars(reader, depth, () => reader.takeCommand('rvert'));
    case 'lfloor':
    case 'lceil': {
      const inside = readList(reader, depth + 1);
      if (!reader.takeCommand(name === 'lfloor' ? 'rfloor' : 'rceil')) throw new NotUnderstood();
      return { kind: 'call', name: name === 'lfloor' ? 'floor' : 'ceil', inputs: [inside] };
    }
    case 'langle': {
      const items = readItems(reader, depth + 1);
      if (!reader.takeCommand('rangle')) throw new NotUnderstood();
      return { kind: 'tuple', items };
    }
    case 'overline':
    case 'bar':
      return { kind: 'symbol', name: `bar ${reader.readGroupText() ?? ''}` };
    default:
      throw new NotUnderstood();
  }
}

function readFraction(reader: TokenReader, depth: number): MathNode {
  const [top, bottom] = [readArgument(reader, depth), readArgument(reader, depth)];
  return { kind: 'quotient', top, bottom };
}

function readRoot(reader: TokenReader, depth: number): MathNode {
  if (!reader.takeMark('[')) return { kind: 'call', name: 'sqrt', inputs: [readArgument(reader, depth)] };
  const degree = readList(reader, depth + 1);
  if (!reader.takeMark(']')) throw new NotUnderstood();
  return { kind: 'call', name: 'root', inputs: [readArgument(reader, depth), degree] };
}

/** \sin^2 x, \log_2 8, \tan^{-1}(1), \max(1, 2). */
function readFunction(reader: TokenReader, name: string, depth: number): MathNode {
  if (depth > MAX_DEPTH) throw new NotUnderstood();
  let base: MathNode | undefined;
  let exponent: MathNode | undefined;
  for (;;) {
    if (reader.takeMark('_')) base = readArgument(reader, depth);
    else if (reader.takeMark('^')) exponent = readArgument(reader, depth);
    else break;
  }
  const isInverse =
    exponent?.kind === 'negation' && exponent.of.kind === 'number' && exponent.of.value.numerator === 1n;
  const inputs = readInputs(reader, depth);
  if (base !== undefined) inputs.push(base);
  const call: MathNode = { kind: 'call', name: isInverse ? `arc${name}` : name, inputs };
  return exponent === undefined || isInverse ? call : { kind: 'power', base: call, exponent };
}

function readInputs(reader: TokenReader, depth: number): MathNode[] {
  if (reader.takeMark('(')) {
    const items = readItems(reader, depth + 1);
    if (!reader.takeMark(')')) throw new NotUnderstood();
    return items;
  }
  if (reader.takeMark('{')) return [readUntil(reader, depth, '}')];
  // \sin 2x takes 2x, \sin x \cos x takes x.
  const factors: MathNode[] = [];
  while (
    factors.length === 0 ||
    (startsFactor(reader) && !FUNCTIONS.has(reader.peek()?.value ?? '') && reader.peek()?.value !== '(')
  )
    factors.push(readFactor(reader, depth + 1));
  const [only] = factors;
  return [factors.length === 1 && only !== undefined ? only : { kind: 'product', factors, isWritten: false }];
}
