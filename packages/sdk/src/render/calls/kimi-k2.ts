import { type CallHeader, createSectionCallParser } from './section-calls.ts';
import type { MalformedReason, ToolCallParser } from './tool-call-event.ts';

const ARGUMENTS = '<|tool_call_argument_begin|>';
const PREFIX = 'functions.';
/** `name:0`; the number counts the calls of the conversation. */
const ID = /^(?<name>[^\s:<>]+):\d+$/;

/** A section of calls, each an id that holds the name, and its arguments. The template prints the id back, so it is kept. */
export function createKimiK2Parser(): ToolCallParser {
  return createSectionCallParser({
    section: '<|tool_calls_section_begin|>',
    sectionEnd: '<|tool_calls_section_end|>',
    call: '<|tool_call_begin|>',
    callEnd: '<|tool_call_end|>',
    readHeader,
  });
}

function readHeader(header: string): CallHeader | MalformedReason {
  const at = header.indexOf(ARGUMENTS);
  if (at < 0) return 'bad-marker';
  const id = header.slice(0, at).trim();
  const numbered = id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id;
  const name = ID.exec(numbered)?.groups?.['name'];
  if (name === undefined) return numbered === '' || numbered.startsWith(':') ? 'missing-name' : 'bad-marker';
  return header.slice(at + ARGUMENTS.length).trim() === '' ? { name, id } : 'invalid-json';
}
