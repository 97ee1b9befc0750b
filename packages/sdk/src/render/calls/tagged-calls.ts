import {
  type Reader,
  type Reading,
  compareMarker,
  createStreamParser,
  createTextReader,
  skipSpace,
} from './create-stream-parser.ts';
import { createMarkerSearch } from './find-marker.ts';
import { JsonScanner } from './json-scanner.ts';
import { type CallObjectOptions, classifyBody, readCallObject } from './read-call-object.ts';
import type { MalformedReason, ToolCallParser } from './tool-call-event.ts';

export interface TaggedCallOptions extends CallObjectOptions {
  readonly open: string;
  readonly close: string;
}

/** Calls that are a JSON object between two tags, anywhere in the reply. */
export function createTaggedCallParser(options: TaggedCallOptions): ToolCallParser {
  const { open, close } = options;
  const readText = createTextReader([open]);
  const search = createMarkerSearch([open, close]);
  let scanner: JsonScanner | undefined;

  /** A broken call ends behind its closing tag, or where the next one opens. */
  const recover = (
    buffer: string,
    isOver: boolean,
    atEnd: MalformedReason,
    reason?: MalformedReason,
  ): Reading | undefined => {
    const found = search.find(buffer, open.length);
    if (found === undefined && !isOver) return undefined;
    scanner = undefined;
    search.reset();
    const end = found?.at ?? buffer.length;
    const consumed = found?.marker === close ? end + close.length : end;
    const body = buffer.slice(open.length, end);
    return {
      consumed,
      events: [
        {
          type: 'malformed-call',
          reason: found === undefined ? atEnd : (reason ?? classifyBody(body)),
          raw: buffer.slice(0, consumed),
        },
      ],
    };
  };

  const read: Reader = (buffer, isOver) => {
    if (!buffer.startsWith(open)) return readText(buffer, isOver);
    const start = skipSpace(buffer, open.length);
    if (start === buffer.length) return recover(buffer, isOver, 'unclosed');
    if (buffer[start] !== '{') return recover(buffer, isOver, 'invalid-json');
    scanner ??= new JsonScanner(start);
    const status = scanner.scan(buffer);
    // While the JSON may go on, a closing tag may be part of a string in it.
    if (status === 'more') return isOver ? recover(buffer, isOver, 'unclosed') : undefined;
    if (status === 'invalid') return recover(buffer, isOver, 'invalid-json', 'invalid-json');
    const at = skipSpace(buffer, scanner.at);
    const found = compareMarker(buffer, at, close);
    if (found === 'maybe') return isOver ? recover(buffer, isOver, 'unclosed') : undefined;
    if (found === 'no') return recover(buffer, isOver, 'trailing-text', 'trailing-text');
    const call = readCallObject(buffer, scanner.members, options);
    const consumed = at + close.length;
    const raw = buffer.slice(0, consumed);
    scanner = undefined;
    search.reset();
    if (typeof call === 'string') return { consumed, events: [{ type: 'malformed-call', reason: call, raw }] };
    return { consumed, events: [{ type: 'tool-call', ...call, raw }] };
  };
  return createStreamParser(read);
}
