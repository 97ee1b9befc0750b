import {
  type Reader,
  type Reading,
  compareMarker,
  createStreamParser,
  readTextBefore,
  skipSpace,
} from './create-stream-parser.ts';
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
  let scanner: JsonScanner | undefined;

  /** A broken call ends behind its closing tag, or where the next one opens. */
  const recover = (
    buffer: string,
    isOver: boolean,
    atEnd: MalformedReason,
    reason?: MalformedReason,
  ): Reading | undefined => {
    const closeAt = buffer.indexOf(close, open.length);
    const openAt = buffer.indexOf(open, open.length);
    const isClosed = closeAt >= 0 && (openAt < 0 || closeAt < openAt);
    if (!isClosed && openAt < 0 && !isOver) return undefined;
    scanner = undefined;
    const consumed = isClosed ? closeAt + close.length : openAt >= 0 ? openAt : buffer.length;
    const body = buffer.slice(open.length, isClosed ? closeAt : consumed);
    const isCut = !isClosed && openAt < 0;
    return {
      consumed,
      events: [
        {
          type: 'malformed-call',
          reason: isCut ? atEnd : (reason ?? classifyBody(body)),
          raw: buffer.slice(0, consumed),
        },
      ],
    };
  };

  const read: Reader = (buffer, isOver) => {
    if (!buffer.startsWith(open)) return readTextBefore(buffer, [open], isOver);
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
    if (typeof call === 'string') return { consumed, events: [{ type: 'malformed-call', reason: call, raw }] };
    return { consumed, events: [{ type: 'tool-call', ...call, raw }] };
  };
  return createStreamParser(read);
}
