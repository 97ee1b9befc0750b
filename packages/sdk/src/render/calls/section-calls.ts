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
import { readArguments } from './read-call-object.ts';
import type { MalformedReason, ToolCallEvent, ToolCallParser } from './tool-call-event.ts';

export interface CallHeader {
  readonly name: string;
  readonly id: string | undefined;
}

export interface SectionCallOptions {
  readonly section: string;
  readonly sectionEnd: string;
  readonly call: string;
  readonly callEnd: string;
  /** What closes the arguments before the call is closed, where the format fences them. */
  readonly fence?: string;
  /** Reads what stands between the beginning of the call and its arguments. */
  readonly readHeader: (header: string) => CallHeader | MalformedReason;
}

/** Names are far shorter; without a bound a stray marker would hold back the rest of the reply. */
const HEADER_LIMIT = 600;

/**
 * A section of calls, each a header and a JSON object. Templates leave out the end of a section, or models its beginning, so
 * neither is required.
 */
export function createSectionCallParser(options: SectionCallOptions): ToolCallParser {
  const { section, sectionEnd, call, callEnd, fence } = options;
  const readText = createTextReader([section, call]);
  const headerSearch = createMarkerSearch([callEnd, call, sectionEnd, section, '{']);
  const endSearch = createMarkerSearch([callEnd, call, sectionEnd, section]);
  let isInSection = false;
  let scanner: JsonScanner | undefined;
  /** Where the call begins in the buffer, behind the section marker and white space. */
  let callAt = 0;

  const forget = (): void => {
    scanner = undefined;
    headerSearch.reset();
    endSearch.reset();
  };

  const malformed = (buffer: string, consumed: number, reason: MalformedReason): Reading => {
    forget();
    return { consumed, events: [{ type: 'malformed-call', reason, raw: buffer.slice(0, consumed) }] };
  };

  /** The end of the section belongs to the last call, so that it is in some event and in no text. */
  const findEnd = (buffer: string, callEndAt: number, isOver: boolean): number | undefined => {
    const at = skipSpace(buffer, callEndAt);
    const found = compareMarker(buffer, at, sectionEnd);
    if (found === 'maybe' && !isOver) return undefined;
    isInSection = found !== 'yes';
    return found === 'yes' ? at + sectionEnd.length : callEndAt;
  };

  /** A broken call ends behind its end marker, or before the next marker that cannot be part of it. */
  const recover = (buffer: string, isOver: boolean, reason: MalformedReason): Reading | undefined => {
    const found = endSearch.find(buffer, callAt + (buffer.startsWith(call, callAt) ? call.length : 0));
    if (found === undefined) return isOver ? malformed(buffer, buffer.length, reason) : undefined;
    // A section that begins with its own marker finds that marker first when no call follows it.
    if (found.marker === call || found.marker === section) return malformed(buffer, found.at, reason);
    const end = findEnd(buffer, found.marker === callEnd ? found.at + callEnd.length : found.at, isOver);
    return end === undefined ? undefined : malformed(buffer, end, reason);
  };

  const read: Reader = (buffer, isOver) => {
    const isOpened = buffer.startsWith(section);
    if (!isInSection && !isOpened && !buffer.startsWith(call)) return readText(buffer, isOver);
    callAt = skipSpace(buffer, isOpened ? section.length : 0);
    const found = compareMarker(buffer, callAt, call);
    if (found === 'yes') return readCall(buffer, isOver);
    if (found === 'maybe' && !isOver) return undefined;
    if (isOpened) return recover(buffer, isOver, callAt === buffer.length ? 'unclosed' : 'bad-marker');
    // Behind a call comes neither a call nor the end of the section: the section is over without saying so.
    isInSection = false;
    return read(buffer, isOver);
  };

  const readCall = (buffer: string, isOver: boolean): Reading | undefined => {
    isInSection = true;
    const bodyAt = callAt + call.length;
    const found = headerSearch.find(buffer, bodyAt);
    const text = buffer.slice(bodyAt, found?.at ?? buffer.length);
    const isTooLong = text.length > HEADER_LIMIT;
    if (!isTooLong && found === undefined) return isOver ? recover(buffer, isOver, 'unclosed') : undefined;
    const header = options.readHeader(isTooLong ? text.slice(0, HEADER_LIMIT) : text);
    if (typeof header === 'string') return recover(buffer, isOver, header);
    if (isTooLong) return recover(buffer, isOver, 'bad-marker');
    if (found?.marker !== '{') return recover(buffer, isOver, 'invalid-json');
    scanner ??= new JsonScanner(found.at);
    const status = scanner.scan(buffer);
    if (status === 'more') return isOver ? recover(buffer, isOver, 'unclosed') : undefined;
    if (status === 'invalid') return recover(buffer, isOver, 'invalid-json');
    const jsonEnd = scanner.at;
    let end = jsonEnd;
    for (const marker of fence === undefined ? [callEnd] : [fence, callEnd]) {
      const at = skipSpace(buffer, end);
      const state = compareMarker(buffer, at, marker);
      if (state === 'maybe') return isOver ? recover(buffer, isOver, 'unclosed') : undefined;
      if (state === 'no') return recover(buffer, isOver, 'trailing-text');
      end = at + marker.length;
    }
    return finishCall(buffer, isOver, { header, json: buffer.slice(found.at, jsonEnd), end });
  };

  const finishCall = (
    buffer: string,
    isOver: boolean,
    { header, json, end }: { header: CallHeader; json: string; end: number },
  ): Reading | undefined => {
    const consumed = findEnd(buffer, end, isOver);
    if (consumed === undefined) return undefined;
    forget();
    const raw = buffer.slice(0, consumed);
    const args = readArguments(json, false);
    const event: ToolCallEvent =
      args === undefined
        ? { type: 'malformed-call', reason: 'arguments-not-an-object', raw }
        : { type: 'tool-call', ...header, ...args, raw };
    return { consumed, events: [event] };
  };
  return createStreamParser(read);
}
