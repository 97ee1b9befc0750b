import type { Token } from './read-tokens.ts';

/** Goes through tokens one after the other. */
export interface TokenReader {
  peek(): Token | undefined;
  take(): Token | undefined;
  skip(): void;
  isAtEnd(): boolean;
  takeMark(value: string): boolean;
  takeCommand(name: string): boolean;
  /** `\circ` or `{\circ}`. */
  takeCircle(): boolean;
  /** The first digit of the number that comes next: \frac12 is a half. */
  takeDigit(): string | undefined;
  /** The digits under a line right after a number that ends with its decimal point, or has one. */
  takeOverlinedDigits(before: string): string | undefined;
  /** What a subscript or a line holds, as a name. */
  readGroupText(): string | undefined;
  /** A bar inside bars closes them. */
  insideBars<T>(read: () => T): T;
  isInBars(): boolean;
}

export function createTokenReader(tokens: readonly Token[]): TokenReader {
  const rest = [...tokens];
  let at = 0;
  let bars = 0;
  const takeIf = (kind: Token['kind'], value: string): boolean => {
    const token = rest[at];
    if (token?.kind !== kind || token.value !== value) return false;
    at += 1;
    return true;
  };
  const readGroupText = (): string | undefined => {
    if (!takeIf('mark', '{')) return rest[at++]?.value.toLowerCase();
    let text = '';
    for (let depth = 1; ; at += 1) {
      const token = rest[at];
      if (token === undefined) return undefined;
      if (token.kind === 'mark' && token.value === '{') depth += 1;
      if (token.kind === 'mark' && token.value === '}') depth -= 1;
      if (depth === 0) break;
      text += token.value.toLowerCase();
    }
    at += 1;
    return text;
  };
  return {
    peek: () => rest[at],
    take: () => rest[at++],
    skip: () => void (at += 1),
    isAtEnd: () => at >= rest.length,
    takeMark: (value) => takeIf('mark', value),
    takeCommand: (name) => takeIf('command', name),
    takeCircle: () => {
      const start = at;
      const hasBrace = takeIf('mark', '{');
      if (takeIf('command', 'circ') && (!hasBrace || takeIf('mark', '}'))) return true;
      at = start;
      return false;
    },
    takeDigit: () => {
      const token = rest[at];
      if (token?.kind !== 'number' || token.value.includes('.')) return undefined;
      const [first = '', left] = [token.value[0], token.value.slice(1)];
      if (left === '') at += 1;
      else rest[at] = { ...token, value: left };
      return first;
    },
    takeOverlinedDigits: (before) => {
      const start = at;
      // `0.` is read as the number 0 and a full stop.
      const hasPoint = before.includes('.') || takeIf('mark', '.');
      if (hasPoint && takeIf('command', 'overline')) {
        const digits = readGroupText();
        if (digits !== undefined && /^\d{1,40}$/.test(digits)) return digits;
      }
      at = start;
      return undefined;
    },
    readGroupText,
    insideBars: (read) => {
      bars += 1;
      const value = read();
      bars -= 1;
      return value;
    },
    isInBars: () => bars > 0,
  };
}
