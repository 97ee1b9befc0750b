import { PYTHON_SPACE } from '../python/python-text.ts';
import { type CallArguments, Callable, Tuple, type Value, isInteger, nameType, templateFailure } from './values.ts';
import { type TextMark, countCharacters, findPlaces, toCharacters, withoutMark } from './text-mark.ts';

type Method = (text: string, args: CallArguments, mark: TextMark) => Value;

/** The methods of Python's `str` that templates call. */
const METHODS = new Map<string, Method>([
  ['strip', (text, args, mark) => stripText(text, readCharacters(args), 'both', mark)],
  ['lstrip', (text, args, mark) => stripText(text, readCharacters(args), 'left', mark)],
  ['rstrip', (text, args, mark) => stripText(text, readCharacters(args), 'right', mark)],
  ['upper', (text) => text.toUpperCase()],
  ['lower', (text) => text.toLowerCase()],
  ['title', (text, _args, mark) => titleText(text, mark)],
  ['capitalize', (text, _args, mark) => capitalizeText(text, mark)],
  [
    'startswith',
    (text, args, mark) => hasAffix(args, (affix) => withoutMark(text, mark).startsWith(withoutMark(affix, mark))),
  ],
  [
    'endswith',
    (text, args, mark) => hasAffix(args, (affix) => withoutMark(text, mark).endsWith(withoutMark(affix, mark))),
  ],
  ['removeprefix', (text, args, mark) => removeAffix(text, readText(args, 0), 'start', mark)],
  ['removesuffix', (text, args, mark) => removeAffix(text, readText(args, 0), 'end', mark)],
  ['split', (text, args, mark) => splitText(text, args, mark)],
  ['splitlines', (text) => splitLines(text)],
  [
    'replace',
    (text, args, mark) => replaceText(text, readText(args, 0), readText(args, 1), readCount(args, 2, 'count'), mark),
  ],
  ['join', (text, args) => joinItems(text, args.positional[0] ?? null)],
  ['find', (text, args, mark) => findText(text, readText(args, 0), mark)],
  ['count', (text, args, mark) => findPlaces(text, readText(args, 0), mark).length],
  ['isdigit', (text, _args, mark) => /^\p{Nd}+$/u.test(withoutMark(text, mark))],
  ['isalpha', (text, _args, mark) => /^\p{L}+$/u.test(withoutMark(text, mark))],
  ['isalnum', (text, _args, mark) => /^[\p{L}\p{N}]+$/u.test(withoutMark(text, mark))],
  ['isspace', (text, _args, mark) => text !== '' && stripText(text, PYTHON_SPACE, 'both', mark) === ''],
]);

export function readTextMethod(text: string, name: string, mark: TextMark): Callable | undefined {
  const method = METHODS.get(name);
  return method === undefined ? undefined : new Callable((args) => method(text, args, mark));
}

export function stripText(text: string, characters: string, side: 'left' | 'right' | 'both', mark: TextMark): string {
  const parts = toCharacters(text, mark);
  const wanted = new Set(Array.from(characters));
  let start = 0;
  let end = parts.length;
  const isWanted = (part: string | undefined): boolean => part !== undefined && wanted.has(withoutMark(part, mark));
  if (side !== 'right') while (start < end && isWanted(parts[start])) start += 1;
  if (side !== 'left') while (end > start && isWanted(parts[end - 1])) end -= 1;
  return parts.slice(start, end).join('');
}

export function titleText(text: string, mark: TextMark): string {
  let isInWord = false;
  return toCharacters(text, mark)
    .map((character) => {
      const changed = isInWord ? character.toLowerCase() : character.toUpperCase();
      isInWord = character.toLowerCase() !== character.toUpperCase();
      return changed;
    })
    .join('');
}

export function capitalizeText(text: string, mark: TextMark): string {
  const [first = '', ...rest] = toCharacters(text, mark);
  return first.toUpperCase() + rest.join('').toLowerCase();
}

export function replaceText(text: string, from: string, to: string, count: number, mark: TextMark): string {
  const limit = count < 0 ? Number.POSITIVE_INFINITY : count;
  if (from === '') {
    const characters = toCharacters(text, mark);
    return (
      characters.map((character, index) => (index < limit ? to + character : character)).join('') +
      (characters.length < limit ? to : '')
    );
  }
  let out = '';
  let last = 0;
  for (const [start, end] of findPlaces(text, from, mark).slice(0, limit)) {
    out += text.slice(last, start) + to;
    last = end;
  }
  return out + text.slice(last);
}

function splitText(text: string, args: CallArguments, mark: TextMark): Value[] {
  const separator = args.positional[0] ?? args.named.get('sep') ?? null;
  const limit = readCount(args, 1, 'maxsplit');
  if (separator === null) return splitAtSpace(text, limit, mark);
  if (typeof separator !== 'string' || separator === '') throw templateFailure('split needs a separator');
  const places = findPlaces(text, separator, mark);
  const parts: string[] = [];
  let last = 0;
  for (const [start, end] of limit < 0 ? places : places.slice(0, limit)) {
    parts.push(text.slice(last, start));
    last = end;
  }
  return [...parts, text.slice(last)];
}

function splitAtSpace(text: string, limit: number, mark: TextMark): string[] {
  const parts: string[] = [];
  let rest = stripText(text, PYTHON_SPACE, 'left', mark);
  while (rest !== '') {
    if (limit >= 0 && parts.length >= limit) return [...parts, rest];
    const characters = toCharacters(rest, mark);
    const end = characters.findIndex((character) => PYTHON_SPACE.includes(withoutMark(character, mark)));
    parts.push(characters.slice(0, end < 0 ? undefined : end).join(''));
    rest = end < 0 ? '' : stripText(characters.slice(end).join(''), PYTHON_SPACE, 'left', mark);
  }
  return parts;
}

function splitLines(text: string): string[] {
  // oxlint-disable-next-line no-control-regex -- these are the line ends of Python's str.splitlines
  const lines = text.split(/\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function joinItems(separator: string, items: Value): string {
  const list = items instanceof Tuple ? items.items : items;
  if (!Array.isArray(list) || list.some((item) => typeof item !== 'string')) {
    throw templateFailure(`join needs a list of strings, not ${nameType(items)}`);
  }
  return list.join(separator);
}

function findText(text: string, needle: string, mark: TextMark): number {
  const at = withoutMark(text, mark).indexOf(withoutMark(needle, mark));
  return at < 0 ? -1 : countCharacters(withoutMark(text, mark).slice(0, at), mark);
}

function hasAffix(args: CallArguments, isAffix: (affix: string) => boolean): boolean {
  const wanted = args.positional[0] ?? null;
  const affixes = wanted instanceof Tuple ? wanted.items : [wanted];
  return affixes.some((affix) => {
    if (typeof affix !== 'string')
      throw templateFailure(`startswith and endswith need strings, not ${nameType(affix)}`);
    return isAffix(affix);
  });
}

function removeAffix(text: string, affix: string, side: 'start' | 'end', mark: TextMark): string {
  if (affix === '') return text;
  const plain = withoutMark(text, mark);
  const places = findPlaces(text, affix, mark);
  if (side === 'start') return plain.startsWith(withoutMark(affix, mark)) ? text.slice(places[0]?.[1]) : text;
  if (!plain.endsWith(withoutMark(affix, mark))) return text;
  return toCharacters(text, mark).slice(0, -countCharacters(affix, mark)).join('');
}

function readText(args: CallArguments, index: number): string {
  const value = args.positional[index] ?? null;
  if (typeof value !== 'string') throw templateFailure(`a method of strings got ${nameType(value)}`);
  return value;
}

function readCharacters(args: CallArguments): string {
  return args.positional.length === 0 || args.positional[0] === null ? PYTHON_SPACE : readText(args, 0);
}

function readCount(args: CallArguments, index: number, name: string): number {
  const value = args.positional[index] ?? args.named.get(name) ?? -1;
  if (!isInteger(value)) throw templateFailure(`${name} must be an integer, not ${nameType(value)}`);
  return Number(value);
}
