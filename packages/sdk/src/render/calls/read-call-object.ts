import { isRecord } from '@lachesis/protocol';
import { type JsonMember, JsonScanner } from './json-scanner.ts';
import type { MalformedReason } from './tool-call-event.ts';

export interface CallObject {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly argumentsText: string;
  readonly id: string | undefined;
}

export interface CallObjectOptions {
  /** The keys under which arguments may stand, best first. */
  readonly argumentKeys: readonly string[];
  /** Arguments may be a string that holds the JSON of an object. */
  readonly allowsQuotedArguments?: boolean;
}

/** Reads `{"name": …, "arguments": {…}}` from JSON that is known to be an object. */
export function readCallObject(
  buffer: string,
  members: readonly JsonMember[],
  options: CallObjectOptions,
): CallObject | MalformedReason {
  const find = (key: string): string | undefined => {
    // The last of two equal keys counts, as in JSON.parse.
    const member = members.findLast((candidate) => candidate.key === key);
    return member === undefined ? undefined : buffer.slice(member.start, member.end);
  };
  const name: unknown = JSON.parse(find('name') ?? 'null');
  if (typeof name !== 'string' || name === '') return 'missing-name';
  const text = options.argumentKeys.map(find).find((candidate) => candidate !== undefined);
  if (text === undefined) return 'missing-arguments';
  const args = readArguments(text, options.allowsQuotedArguments === true);
  if (args === undefined) return 'arguments-not-an-object';
  const id: unknown = JSON.parse(find('id') ?? 'null');
  return { name, ...args, id: typeof id === 'string' ? id : undefined };
}

export function readArguments(
  text: string,
  allowsQuoted: boolean,
): { arguments: Readonly<Record<string, unknown>>; argumentsText: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return { arguments: value, argumentsText: text };
    if (!allowsQuoted || typeof value !== 'string') return undefined;
    // What is in quotes was not scanned with the rest.
    return new JsonScanner(0).scan(value.trim()) === 'done' ? readArguments(value, false) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Why a text that is not an object is not a call. */
export function classifyBody(body: string): MalformedReason {
  // An error with its stack costs more than all the rest, and a reply may be nothing but opening tags.
  if (!/^\s*["{[\d\-tfn]/.test(body)) return 'invalid-json';
  try {
    return isRecord(JSON.parse(body)) ? 'trailing-text' : 'not-an-object';
  } catch (error) {
    if (error instanceof SyntaxError) return 'invalid-json';
    throw error;
  }
}

export function scanMembers(buffer: string, start: number): readonly JsonMember[] {
  const scanner = new JsonScanner(start);
  scanner.scan(buffer);
  return scanner.members;
}
