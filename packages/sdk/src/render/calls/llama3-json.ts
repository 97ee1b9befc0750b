import {
  type Reader,
  type Reading,
  compareMarker,
  createStreamParser,
  createTextReader,
  skipSpace,
} from './create-stream-parser.ts';
import { JsonScanner } from './json-scanner.ts';
import { readCallObject } from './read-call-object.ts';
import type { MalformedReason, ToolCallParser } from './tool-call-event.ts';

const TAG = '<|python_tag|>';

/** What an object must show to count as a call that went wrong and not as an answer in JSON. */
const CALL_KEYS = ['name', 'parameters', 'arguments', 'function'];
const CALL_KEY = /["']?\b(?:name|parameters|arguments|function)\b["']?\s*:/;

/**
 * `{"name": …, "parameters": {…}}` as the whole reply, or behind the tag; more of them after `;`. There is no closing marker,
 * so an object that goes wrong takes the rest of the reply with it, up to the next tag.
 */
export function createLlama3JsonParser(): ToolCallParser {
  let place: 'start' | 'after-call' | 'text' = 'start';
  let scanner: JsonScanner | undefined;
  const readText = createTextReader([TAG]);

  const finish = (buffer: string, consumed: number, reason: MalformedReason | undefined): Reading => {
    scanner = undefined;
    place = 'text';
    const raw = buffer.slice(0, consumed);
    return {
      consumed,
      events: [reason === undefined ? { type: 'text-delta', text: raw } : { type: 'malformed-call', reason, raw }],
    };
  };

  /** Where the object begins, behind what may stand before it; undefined when none begins here, 'wait' when one still may. */
  const findStart = (buffer: string, isOver: boolean): { at: number; isTagged: boolean } | 'wait' | undefined => {
    let at = skipSpace(buffer, 0);
    if (place === 'after-call' && buffer[at] === ';') at = skipSpace(buffer, at + 1);
    const tag = compareMarker(buffer, at, TAG);
    if (tag === 'maybe' && !isOver) return 'wait';
    if (tag === 'yes') return { at: skipSpace(buffer, at + TAG.length), isTagged: true };
    // Two objects in a row without `;` are an answer that happens to begin with a call.
    if (place === 'after-call' && !buffer.trimStart().startsWith(';')) return undefined;
    return buffer[at] === '{' ? { at, isTagged: false } : undefined;
  };

  const read: Reader = (buffer, isOver) => {
    if (place === 'text') {
      if (buffer.startsWith(TAG)) place = 'start';
      else return readText(buffer, isOver);
    }
    const start = findStart(buffer, isOver);
    if (start === 'wait') return undefined;
    if (start === undefined) {
      place = 'text';
      return readText(buffer, isOver) ?? read(buffer, isOver);
    }
    return readObject(buffer, isOver, start);
  };

  const readObject = (
    buffer: string,
    isOver: boolean,
    start: { at: number; isTagged: boolean },
  ): Reading | undefined => {
    const giveUp = (reason: MalformedReason): Reading | undefined => {
      const next = buffer.indexOf(TAG, start.at);
      if (next < 0 && !isOver) return undefined;
      const consumed = next < 0 ? buffer.length : next;
      const isCall = start.isTagged || CALL_KEY.test(buffer.slice(0, consumed));
      return finish(buffer, consumed, isCall ? reason : undefined);
    };
    if (start.at === buffer.length) return giveUp('unclosed');
    if (buffer[start.at] !== '{') return giveUp('invalid-json');
    scanner ??= new JsonScanner(start.at);
    const status = scanner.scan(buffer);
    if (status === 'more') return isOver ? giveUp('unclosed') : undefined;
    if (status === 'invalid') return giveUp('invalid-json');
    const { members, at: consumed } = scanner;
    const isCall = start.isTagged || members.some(({ key }) => key !== undefined && CALL_KEYS.includes(key));
    if (!isCall) return finish(buffer, consumed, undefined);
    const call = readCallObject(buffer, members, { argumentKeys: ['parameters', 'arguments'] });
    const reading = finish(buffer, consumed, typeof call === 'string' ? call : undefined);
    place = 'after-call';
    return typeof call === 'string'
      ? reading
      : { consumed, events: [{ type: 'tool-call', ...call, raw: buffer.slice(0, consumed) }] };
  };
  return createStreamParser(read);
}
