import { DEEPSEEK_MARKERS, DEEPSEEK_SEPARATOR } from './deepseek-v3.ts';
import { type CallHeader, createSectionCallParser } from './section-calls.ts';
import type { MalformedReason, ToolCallParser } from './tool-call-event.ts';

/** A section of calls, each `name<sep>` and its arguments, without the fence of V3. */
export function createDeepseekV31Parser(): ToolCallParser {
  return createSectionCallParser({ ...DEEPSEEK_MARKERS, readHeader });
}

function readHeader(header: string): CallHeader | MalformedReason {
  const at = header.indexOf(DEEPSEEK_SEPARATOR);
  if (at < 0) return 'bad-marker';
  const name = header.slice(0, at).trim();
  if (name === '') return 'missing-name';
  if (name.includes('\n')) return 'bad-marker';
  return header.slice(at + DEEPSEEK_SEPARATOR.length).trim() === '' ? { name, id: undefined } : 'invalid-json';
}
