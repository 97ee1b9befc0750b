import type { ChatMessage } from '@lachesis/protocol';

/** What one content may add to the index: the beginning of a long tool output finds it, all of it would be most of the index. */
const MAX_CONTENT_CHARACTERS = 20_000;
/** PostgreSQL takes 1 MB of words for a row; this is far below it in any script. */
const MAX_TURN_CHARACTERS = 100_000;

// Scripts without blanks: each character is a word, and a word of several is found as a phrase.
const WORDS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[[\p{L}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]]+/gv;
const ASCII_WORDS = /[a-z0-9]+/g;
// oxlint-disable-next-line no-control-regex -- the range of ASCII begins with control characters
const ASCII = /^[\u0000-\u007F]*$/;

/** The same words on both engines: lower case, without accents, apart at everything that is neither letter nor digit. */
export function toWords(text: string): string[] {
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_WORDS) ?? [];
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().match(WORDS) ?? [];
}

/** What the index keeps of messages: texts, thinking, and the names and ids of tool calls. */
export function collectSearchText(messages: readonly ChatMessage[], extra: readonly string[]): string {
  const parts = [...extra];
  let characters = 0;
  const add = (text: string | null | undefined): void => {
    if (text === null || text === undefined || characters >= MAX_TURN_CHARACTERS) return;
    const part = text.length > MAX_CONTENT_CHARACTERS ? text.slice(0, MAX_CONTENT_CHARACTERS) : text;
    characters += part.length;
    parts.push(part);
  };
  for (const message of messages) {
    for (const text of listTexts(message)) add(text);
    add(message.reasoning_content);
    add(message.name);
    add(message.tool_call_id);
    for (const { id, function: called } of message.tool_calls ?? []) {
      add(called.name);
      add(id);
      add(called.arguments);
    }
  }
  return toWords(parts.join('\n').slice(0, MAX_TURN_CHARACTERS * 2)).join(' ');
}

/** The texts of a message's content, images and other data left out. */
export function listTexts({ content }: ChatMessage): string[] {
  if (typeof content === 'string') return [content];
  return (content ?? []).flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []));
}

/** One thing a search asks for: words that stand together. */
export interface SearchTerm {
  words: string[];
  /** The last word is a beginning. */
  isPrefix: boolean;
}

/** `refund "new york" cancel*`: each of them is somewhere in the trajectory. */
export function parseSearch(text: string): SearchTerm[] {
  return [...text.matchAll(/"([^"]*)"?|(\S+)/g)]
    .map(([, quoted, plain]) => ({
      words: toWords(quoted ?? plain ?? ''),
      isPrefix: plain?.endsWith('*') === true,
    }))
    .filter(({ words }) => words.length > 0);
}

/** For FTS5. */
export function toFtsQuery({ words, isPrefix }: SearchTerm): string {
  return `"${words.join(' ')}"${isPrefix ? ' *' : ''}`;
}

/** For to_tsquery. */
export function toTsQuery({ words, isPrefix }: SearchTerm): string {
  return `${words.map((word) => `'${word}'`).join(' <-> ')}${isPrefix ? ':*' : ''}`;
}
