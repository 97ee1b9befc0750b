import { type Reader, type Reading, createStreamParser, createTextReader, skipSpace } from './create-stream-parser.ts';
import { createMarkerSearch } from './find-marker.ts';
import { JsonScanner } from './json-scanner.ts';
import { classifyBody, readArguments, readCallObject, scanMembers } from './read-call-object.ts';
import type { MalformedReason, ToolCallEvent, ToolCallParser } from './tool-call-event.ts';

const TAG = '[TOOL_CALLS]';
/** The later form: a name, perhaps an id, and the arguments. */
const HEADER = /^\s*(?<name>[\w.-]+)\s*(?:\[CALL_ID\](?<id>\w+))?\s*(?:\[ARGS\])?\s*$/;
/** Names are far shorter; without a bound a stray tag would hold back the rest of the reply. */
const HEADER_LIMIT = 300;

/** `[TOOL_CALLS][{"name": …, "arguments": {…}, "id": …}]`, or `[TOOL_CALLS]name[ARGS]{…}`; anywhere in the reply. */
export function createMistralParser(): ToolCallParser {
  let scanner: JsonScanner | undefined;
  const readText = createTextReader([TAG]);
  const search = createMarkerSearch(['{', TAG]);

  const recover = (buffer: string, isOver: boolean, reason: MalformedReason): Reading | undefined => {
    const next = buffer.indexOf(TAG, TAG.length);
    if (next < 0 && !isOver) return undefined;
    scanner = undefined;
    const consumed = next < 0 ? buffer.length : next;
    return { consumed, events: [{ type: 'malformed-call', reason, raw: buffer.slice(0, consumed) }] };
  };

  const read: Reader = (buffer, isOver) => {
    if (!buffer.startsWith(TAG)) return readText(buffer, isOver);
    const start = skipSpace(buffer, TAG.length);
    if (start === buffer.length) return isOver ? recover(buffer, isOver, 'unclosed') : undefined;
    const isBare = buffer[start] === '[' || buffer[start] === '{';
    search.reset();
    const found = isBare ? { marker: '{', at: start } : search.find(buffer, start);
    const isCut = found?.marker === TAG;
    const jsonAt = found === undefined || isCut ? -1 : found.at;
    const header = isBare ? '' : buffer.slice(TAG.length, found?.at ?? buffer.length);
    const match = HEADER.exec(header);
    if (!isBare) {
      const isTooLong = header.length > HEADER_LIMIT || header.trimStart().includes('\n');
      if (isCut || isTooLong || (jsonAt >= 0 && match === null)) {
        return recover(buffer, isOver, header.includes('[') ? 'bad-marker' : 'invalid-json');
      }
      if (jsonAt < 0) return isOver ? recover(buffer, isOver, 'unclosed') : undefined;
    }
    scanner ??= new JsonScanner(jsonAt);
    const status = scanner.scan(buffer);
    if (status === 'more') return isOver ? recover(buffer, isOver, 'unclosed') : undefined;
    if (status === 'invalid') return recover(buffer, isOver, 'invalid-json');
    const { at: consumed, members } = scanner;
    scanner = undefined;
    const raw = buffer.slice(0, consumed);
    if (match !== null && !isBare) {
      const args = readArguments(buffer.slice(jsonAt, consumed), false);
      const { name = '', id } = match.groups ?? {};
      if (args === undefined)
        return { consumed, events: [{ type: 'malformed-call', reason: 'arguments-not-an-object', raw }] };
      return { consumed, events: [{ type: 'tool-call', name, ...args, id, raw }] };
    }
    if (buffer[jsonAt] === '{') return { consumed, events: [toEvent(buffer, jsonAt, raw)] };
    if (members.length === 0) return { consumed, events: [{ type: 'malformed-call', reason: 'not-an-object', raw }] };
    // Each call takes the punctuation before it along, and the last one what closes the list.
    const events = members.map((member, index) => {
      const from = members[index - 1]?.end ?? 0;
      const to = index === members.length - 1 ? consumed : member.end;
      return toEvent(buffer, member.start, buffer.slice(from, to));
    });
    return { consumed, events };
  };
  return createStreamParser(read);
}

function toEvent(buffer: string, start: number, raw: string): ToolCallEvent {
  const call =
    buffer[start] === '{'
      ? readCallObject(buffer, scanMembers(buffer, start), { argumentKeys: ['arguments'], allowsQuotedArguments: true })
      : classifyBody('[]');
  return typeof call === 'string' ? { type: 'malformed-call', reason: call, raw } : { type: 'tool-call', ...call, raw };
}
