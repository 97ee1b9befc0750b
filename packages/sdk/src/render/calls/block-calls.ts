import {
  type Reader,
  type Reading,
  compareMarker,
  createStreamParser,
  createTextReader,
  skipSpace,
} from './create-stream-parser.ts';
import { createMarkerSearch } from './find-marker.ts';
import type { CallObject } from './read-call-object.ts';
import type { MalformedReason, ToolCallEvent, ToolCallParser } from './tool-call-event.ts';

export interface BlockCall extends CallObject {
  /** Where the call ends in the body. */
  readonly end: number;
}

interface Tags {
  readonly open: string;
  readonly close: string;
}

export interface BlockCallOptions extends Tags {
  /** What a call begins and ends with inside its block, where models also write it without the block. */
  readonly bare?: Tags;
  /** Reads a block without its tags, or all of a bare call. */
  readonly readBody: (body: string) => readonly BlockCall[] | MalformedReason;
}

/**
 * Calls in blocks whose values are plain text. Nothing in a block is escaped, so a tag ends it wherever it stands: a block in
 * which another begins was never closed, and nothing of it is a call.
 */
export function createBlockCallParser({ open, close, bare, readBody }: BlockCallOptions): ToolCallParser {
  const readText = createTextReader(bare === undefined ? [open] : [open, bare.open]);
  const search = createMarkerSearch([open, close]);
  const bareSearch = createMarkerSearch(bare === undefined ? [open, close] : [open, close, bare.open, bare.close]);

  const finish = (
    buffer: string,
    result: readonly BlockCall[] | MalformedReason,
    { bodyAt, consumed }: { bodyAt: number; consumed: number },
  ): Reading => {
    search.reset();
    bareSearch.reset();
    if (typeof result === 'string') {
      return { consumed, events: [{ type: 'malformed-call', reason: result, raw: buffer.slice(0, consumed) }] };
    }
    let from = 0;
    const events = result.map(({ end, ...call }, index): ToolCallEvent => {
      const to = index === result.length - 1 ? consumed : bodyAt + end;
      const raw = buffer.slice(from, to);
      from = to;
      return { type: 'tool-call', ...call, raw };
    });
    return { consumed, events };
  };

  const readBlock: Reader = (buffer, isOver) => {
    const bodyAt = open.length;
    const found = search.find(buffer, bodyAt);
    if (found === undefined) {
      return isOver ? finish(buffer, 'unclosed', { bodyAt, consumed: buffer.length }) : undefined;
    }
    if (found.marker === open) return finish(buffer, 'unclosed', { bodyAt, consumed: found.at });
    const result = readBody(buffer.slice(bodyAt, found.at));
    return finish(buffer, result, { bodyAt, consumed: found.at + close.length });
  };

  const readBare = (buffer: string, isOver: boolean, tags: Tags): Reading | undefined => {
    const found = bareSearch.find(buffer, tags.open.length);
    if (found === undefined) {
      return isOver ? finish(buffer, 'unclosed', { bodyAt: 0, consumed: buffer.length }) : undefined;
    }
    if (found.marker === close) {
      return finish(buffer, 'bad-marker', { bodyAt: 0, consumed: found.at + close.length });
    }
    if (found.marker !== tags.close) return finish(buffer, 'unclosed', { bodyAt: 0, consumed: found.at });
    const end = found.at + tags.close.length;
    // Who forgets to open a block closes it all the same.
    const closeAt = skipSpace(buffer, end);
    const closed = compareMarker(buffer, closeAt, close);
    if (closed === 'maybe' && !isOver) return undefined;
    const consumed = closed === 'yes' ? closeAt + close.length : end;
    return finish(buffer, readBody(buffer.slice(0, end)), { bodyAt: 0, consumed });
  };

  const read: Reader = (buffer, isOver) => {
    if (buffer.startsWith(open)) return readBlock(buffer, isOver);
    if (bare !== undefined && buffer.startsWith(bare.open)) return readBare(buffer, isOver, bare);
    return readText(buffer, isOver);
  };
  return createStreamParser(read);
}
