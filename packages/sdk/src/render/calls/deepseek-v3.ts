import {
  type Reader,
  type Reading,
  compareMarker,
  createStreamParser,
  readTextBefore,
  skipSpace,
} from './create-stream-parser.ts';
import { JsonScanner } from './json-scanner.ts';
import { readArguments } from './read-call-object.ts';
import type { MalformedReason, ToolCallEvent, ToolCallParser } from './tool-call-event.ts';

const SECTION = '<｜tool▁calls▁begin｜>';
const SECTION_END = '<｜tool▁calls▁end｜>';
const CALL = '<｜tool▁call▁begin｜>';
const CALL_END = '<｜tool▁call▁end｜>';
const SEPARATOR = '<｜tool▁sep｜>';
const FENCE = '```';
/** `function<sep>name`, a line end, and an opening fence that may name its language. */
const HEADER = /^\s*(?<kind>[^\n]*?)<｜tool▁sep｜>[ \t]*(?<name>[^\n]*?)[ \t]*\n\s*```(?:json)?[ \t]*\n\s*$/;
const HEADER_LIMIT = 600;

/**
 * A section of calls, each `function<sep>name` with its arguments in a fenced block. The model's own template leaves out the
 * end of a section with one call, so neither end of the section is required.
 */
export function createDeepseekV3Parser(): ToolCallParser {
  let isInSection = false;
  let scanner: JsonScanner | undefined;
  /** Where the call begins in the buffer, behind the section marker and white space. */
  let callAt = 0;

  const malformed = (buffer: string, consumed: number, reason: MalformedReason): Reading => {
    scanner = undefined;
    return { consumed, events: [{ type: 'malformed-call', reason, raw: buffer.slice(0, consumed) }] };
  };

  /** The end of the section belongs to the last call, so that it is in some event and in no text. */
  const findEnd = (buffer: string, callEnd: number, isOver: boolean): number | undefined => {
    const at = skipSpace(buffer, callEnd);
    const found = compareMarker(buffer, at, SECTION_END);
    if (found === 'maybe' && !isOver) return undefined;
    isInSection = found !== 'yes';
    return found === 'yes' ? at + SECTION_END.length : callEnd;
  };

  /** A broken call ends behind its end marker, or before the next marker that cannot be part of it. */
  const recover = (buffer: string, isOver: boolean, reason: MalformedReason): Reading | undefined => {
    const from = callAt + (buffer.startsWith(CALL, callAt) ? CALL.length : 0);
    const [first] = [CALL_END, CALL, SECTION_END, SECTION]
      .map((marker) => ({ marker, at: buffer.indexOf(marker, from) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at);
    if (first === undefined) return isOver ? malformed(buffer, buffer.length, reason) : undefined;
    const isNext = first.marker === CALL || first.marker === SECTION;
    if (isNext) return malformed(buffer, first.at, reason);
    const end = findEnd(buffer, first.marker === CALL_END ? first.at + CALL_END.length : first.at, isOver);
    return end === undefined ? undefined : malformed(buffer, end, reason);
  };

  const read: Reader = (buffer, isOver) => {
    const isOpened = buffer.startsWith(SECTION);
    if (!isInSection && !isOpened && !buffer.startsWith(CALL)) return readTextBefore(buffer, [SECTION, CALL], isOver);
    callAt = skipSpace(buffer, isOpened ? SECTION.length : 0);
    const found = compareMarker(buffer, callAt, CALL);
    if (found === 'yes') return readCall(buffer, isOver);
    if (found === 'maybe' && !isOver) return undefined;
    if (isOpened) return recover(buffer, isOver, callAt === buffer.length ? 'unclosed' : 'bad-marker');
    // Behind a call comes neither a call nor the end of the section: the section is over without saying so.
    isInSection = false;
    return read(buffer, isOver);
  };

  const readCall = (buffer: string, isOver: boolean): Reading | undefined => {
    isInSection = true;
    const bodyAt = callAt + CALL.length;
    const markerAt = findFirst(buffer, [CALL_END, CALL, SECTION_END, SECTION], bodyAt);
    const jsonAt = findFirst(buffer, ['{'], bodyAt);
    const header = buffer.slice(bodyAt, Math.min(jsonAt, markerAt));
    const isBroken = header.length > HEADER_LIMIT || markerAt < jsonAt;
    if (!isBroken && jsonAt === Infinity) return isOver ? recover(buffer, isOver, 'unclosed') : undefined;
    const match = HEADER.exec(header);
    if (isBroken || match === null) return recover(buffer, isOver, classifyHeader(header));
    scanner ??= new JsonScanner(jsonAt);
    const status = scanner.scan(buffer);
    if (status === 'more') return isOver ? recover(buffer, isOver, 'unclosed') : undefined;
    if (status === 'invalid') return recover(buffer, isOver, 'invalid-json');
    const jsonEnd = scanner.at;
    const fenceAt = skipSpace(buffer, jsonEnd);
    const fence = compareMarker(buffer, fenceAt, FENCE);
    if (fence === 'maybe') return isOver ? recover(buffer, isOver, 'unclosed') : undefined;
    if (fence === 'no') return recover(buffer, isOver, 'trailing-text');
    const endAt = skipSpace(buffer, fenceAt + FENCE.length);
    const end = compareMarker(buffer, endAt, CALL_END);
    if (end === 'maybe') return isOver ? recover(buffer, isOver, 'unclosed') : undefined;
    if (end === 'no') return recover(buffer, isOver, 'trailing-text');
    return finishCall(buffer, isOver, {
      name: match.groups?.['name'] ?? '',
      jsonAt,
      jsonEnd,
      end: endAt + CALL_END.length,
    });
  };

  const finishCall = (
    buffer: string,
    isOver: boolean,
    call: { name: string; jsonAt: number; jsonEnd: number; end: number },
  ): Reading | undefined => {
    const consumed = findEnd(buffer, call.end, isOver);
    if (consumed === undefined) return undefined;
    scanner = undefined;
    const raw = buffer.slice(0, consumed);
    const args = readArguments(buffer.slice(call.jsonAt, call.jsonEnd), false);
    const event: ToolCallEvent =
      call.name === '' || args === undefined
        ? { type: 'malformed-call', reason: call.name === '' ? 'missing-name' : 'arguments-not-an-object', raw }
        : { type: 'tool-call', name: call.name, ...args, id: undefined, raw };
    return { consumed, events: [event] };
  };
  return createStreamParser(read);
}

/** Infinity when none of the markers is there. */
function findFirst(buffer: string, markers: readonly string[], from: number): number {
  return Math.min(...markers.map((marker) => buffer.indexOf(marker, from)).map((at) => (at < 0 ? Infinity : at)));
}

function classifyHeader(header: string): MalformedReason {
  if (!header.includes(SEPARATOR)) return 'bad-marker';
  if (/<｜tool▁sep｜>\s*(?:\n|```|$)/.test(header)) return 'missing-name';
  return header.includes(FENCE) ? 'invalid-json' : 'bad-marker';
}
