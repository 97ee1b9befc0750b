import { type CallHeader, createSectionCallParser } from './section-calls.ts';
import type { MalformedReason, ToolCallParser } from './tool-call-event.ts';

const MARKERS = Object.freeze({
  section: '<｜tool▁calls▁begin｜>',
  sectionEnd: '<｜tool▁calls▁end｜>',
  call: '<｜tool▁call▁begin｜>',
  callEnd: '<｜tool▁call▁end｜>',
});
const SEPARATOR = '<｜tool▁sep｜>';
const FENCE = '```';
/** `function<sep>name`, a line end, and an opening fence that may name its language. */
const HEADER = /^\s*(?<kind>[^\n]*?)<｜tool▁sep｜>[ \t]*(?<name>[^\n]*?)[ \t]*\n\s*```(?:json)?[ \t]*\n\s*$/;

/**
 * A section of calls, each `function<sep>name` with its arguments in a fenced block. The model's own template leaves out the
 * end of a section with one call.
 */
export function createDeepseekV3Parser(): ToolCallParser {
  return createSectionCallParser({ ...MARKERS, fence: FENCE, readHeader: readFencedHeader });
}

function readFencedHeader(header: string): CallHeader | MalformedReason {
  const match = HEADER.exec(header);
  if (match === null) return classifyHeader(header);
  const name = match.groups?.['name'] ?? '';
  return name === '' ? 'missing-name' : { name, id: undefined };
}

function classifyHeader(header: string): MalformedReason {
  if (!header.includes(SEPARATOR)) return 'bad-marker';
  if (/<｜tool▁sep｜>\s*(?:\n|```|$)/.test(header)) return 'missing-name';
  return header.includes(FENCE) ? 'invalid-json' : 'bad-marker';
}

/** A section of calls, each `name<sep>` and its arguments, without the fence of V3. */
export function createDeepseekV31Parser(): ToolCallParser {
  return createSectionCallParser({ ...MARKERS, readHeader: readPlainHeader });
}

function readPlainHeader(header: string): CallHeader | MalformedReason {
  const at = header.indexOf(SEPARATOR);
  if (at < 0) return 'bad-marker';
  const name = header.slice(0, at).trim();
  if (name === '') return 'missing-name';
  if (name.includes('\n')) return 'bad-marker';
  return header.slice(at + SEPARATOR.length).trim() === '' ? { name, id: undefined } : 'invalid-json';
}
