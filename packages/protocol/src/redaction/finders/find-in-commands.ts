import { COMMANDS, type Command } from './command-options.ts';
import type { WordReader } from './find-by-word.ts';
import { isPlaceholder, isStandIn } from './looks-like-secret.ts';
import { isMark, type Span } from '../span.ts';

interface Argument {
  readonly start: number;
  readonly text: string;
}

/** Longer command lines are scripts, in which the next command begins anew. */
const LONGEST_COMMAND = 2_000;
const MOST_ARGUMENTS = 80;

/**
 * Finds what people and agents type after a command: `curl -u me:…`, `mysql -p…`, `wandb login …`. Each command line is
 * read once, from the word that names the program to its end.
 */
export const commandReader: WordReader = {
  starts: [...COMMANDS.keys()],
  read(text, at, spans, state) {
    if (at < state.readTo) return at;
    // `my-mysql` and `x.curl` are names of something else.
    const before = text.charCodeAt(at - 1);
    if (before === 45 || before === 46 || before === 64 || before === 95) return at;
    PROGRAM.lastIndex = at;
    const commands = COMMANDS.get(PROGRAM.exec(text)?.[0].toLowerCase() ?? '');
    if (commands === undefined) return at;
    const list = readArguments(text, at);
    const last = list.at(-1);
    state.readTo = last === undefined ? at : last.start + last.text.length;
    const found: Span[] = [];
    for (const command of commands) found.push(...findInArguments(list, command));
    if (found.length === 0) return at;
    spans.push(...found);
    return Math.max(...found.map(({ end }) => end));
  },
};

const PROGRAM = /[\w.-]{2,24}(?=["'\s\\])/y;

/** The words of a command line, also of one in JSON or in a list of words (`["curl", "-u", …]`). */
function readArguments(text: string, from: number): Argument[] {
  const list: Argument[] = [];
  // A quote before the program and one after it: each word is quoted, with commas between.
  const isList = /["']/.test(text[from - 1] ?? '') && /^[\w.-]+\\{0,3}["']/.test(text.slice(from, from + 40));
  const end = Math.min(text.length, from + LONGEST_COMMAND);
  let at = isList ? from - 1 : from;
  while (at < end && list.length < MOST_ARGUMENTS) {
    const code = text[at] ?? '';
    if (code === '\n') {
      // A backslash at the end of the line, or inside a list: the command goes on.
      if (!isList && text[at - 1] !== '\\' && !(text[at - 1] === '\r' && text[at - 2] === '\\')) break;
      at += 1;
    } else if (isList ? code === ']' || code === ')' : code === ';' || code === '|' || code === '&') {
      break;
    } else if (/[\s,\\]/.test(code)) {
      if (code === ',' && !isList) break;
      // An escaped line break ends it as a real one does.
      if (code === '\\' && text[at + 1] === 'n' && !isList && text[at - 1] !== '\\') break;
      at += code === '\\' && text[at + 1] === 'n' ? 2 : 1;
    } else if (!isList && list.length > 0 && /["']/.test(code) && !/[\s\\]/.test(text[at - 1] ?? ' ')) {
      // A quote right after a word closes the text that the command stands in.
      break;
    } else {
      const argument = readArgument(text, at, end, isList);
      if (argument.text !== '') list.push({ start: argument.start, text: argument.text });
      at = Math.max(at + 1, argument.next);
    }
  }
  return list;
}

const ENDS_WORD = new Uint8Array(128);
for (const sign of [' ', '\t', '\n', '\r', ';', '|', '"', "'", '\\']) ENDS_WORD[sign.charCodeAt(0)] = 1;

function readArgument(
  text: string,
  at: number,
  end: number,
  isList: boolean,
): { start: number; text: string; next: number } {
  const quote = text[at] ?? '';
  if (quote === '"' || quote === "'") {
    const start = at + 1;
    let close = start;
    while (close < end && text[close] !== quote && text[close] !== '\n') close += 1;
    const stop = text[close - 1] === '\\' ? close - 1 : close;
    return { start, text: text.slice(start, Math.max(start, stop)), next: close + 1 };
  }
  let close = at;
  const comma = isList ? ',' : '';
  while (close < end && ENDS_WORD[text.charCodeAt(close)] !== 1 && text[close] !== comma) close += 1;
  // `--user="me:…"` and `-p'…'`: the value is quoted, its option is not.
  const before = text[close - 1];
  const opening = before === '=' || before === 'p' ? /^\\{0,3}(["'])/.exec(text.slice(close, close + 4)) : null;
  if (opening !== null && close > at) {
    const from = close + opening[0].length;
    let stop = from;
    while (stop < end && text[stop] !== opening[1] && text[stop] !== '\n') stop += 1;
    const until = text[stop - 1] === '\\' ? stop - 1 : stop;
    return { start: at, text: text.slice(at, close) + text.slice(close, until), next: stop + 1 };
  }
  return { start: at, text: text.slice(at, close), next: close };
}

function findInArguments(list: readonly Argument[], command: Command): Span[] {
  const { words = [], secret = [], glued = [], pair = [], separator = ':', positional } = command;
  if (!words.every((word, place) => list[place + 1]?.text.toLowerCase() === word)) return [];
  const spans: Span[] = [];
  const take = (argument: Argument | undefined, from: number, isPair: boolean): void => {
    if (argument === undefined) return;
    const quoted = /^\\{0,3}["']/.exec(argument.text.slice(from))?.[0].length ?? 0;
    const value = argument.text.slice(from + quoted);
    const colon = isPair ? value.indexOf(separator) : -1;
    if (isPair && colon === -1) return;
    const password = value.slice(colon + 1);
    if (!isTypedSecret(password)) return;
    const start = argument.start + from + quoted + colon + 1;
    spans.push({ start, end: start + password.length, kind: 'password' });
  };
  for (const [place, argument] of list.entries()) {
    const sign = argument.text.charCodeAt(0);
    if (sign !== 45 && sign !== 47) continue;
    for (const [options, isPair] of [
      [secret, false],
      [pair, true],
    ] as const) {
      for (const option of options) {
        if (argument.text === option) take(list[place + 1], 0, isPair);
        else if (argument.text.startsWith(`${option}=`)) take(argument, option.length + 1, isPair);
        else if (option.endsWith(':') && argument.text.startsWith(option)) take(argument, option.length, isPair);
      }
    }
    for (const option of glued) {
      if (argument.text.startsWith(option) && argument.text.length > option.length)
        take(argument, option.length, false);
    }
  }
  if (positional !== undefined) {
    const plain = list.slice(1 + words.length).filter(({ text }) => !/^[-/]/.test(text));
    const value = plain.at(positional);
    // A word may follow in a sentence about the program.
    if (value !== undefined && value.text.length >= 6 && /[\d!@#$%^&*]/.test(value.text)) take(value, 0, false);
  }
  return spans;
}

const isTypedSecret = (value: string): boolean =>
  value.length >= 3 &&
  !isPlaceholder(value) &&
  !isStandIn(value) &&
  !isMark(value) &&
  !/^[-/(`]|^\[|^(?:user|username|host|file|stdin|prompt|ask)\b|^\d{1,5}(?::\d{1,5})?$/i.test(value);
