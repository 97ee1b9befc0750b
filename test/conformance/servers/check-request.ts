import { readFileSync } from 'node:fs';

type Fields = Readonly<Record<string, readonly string[]>>;

/** The requests of a server, rewritten from its own classes: each field with the kinds of JSON it takes. */
export interface RequestClasses {
  /** Package and version, with the commit where it has one. */
  readonly source: string;
  readonly chat: Fields;
  /** By role; absent where the class takes any. */
  readonly messages?: Readonly<Record<string, Fields>>;
  /** SGLang's own. */
  readonly generate?: Fields;
  readonly sampling?: Fields;
}

export const SERVER_NAMES = ['openai', 'vllm', 'sglang', 'ollama'] as const;
export type ServerName = (typeof SERVER_NAMES)[number];

export const readClasses = (name: ServerName): RequestClasses =>
  JSON.parse(readFileSync(new URL(`data/${name}.json`, import.meta.url), 'utf8')) as RequestClasses;

/** What is wrong with a request: a field that the class does not have, or a value that it does not take. */
export interface RequestFault {
  readonly field: string;
  readonly isUnknown: boolean;
}

export function checkRequest(classes: RequestClasses, path: string, body: object): RequestFault | undefined {
  if (path === '/generate') {
    const { sampling_params: sampling } = body as { sampling_params?: object };
    return checkFields(classes.generate ?? {}, body) ?? checkFields(classes.sampling ?? {}, sampling ?? {});
  }
  const fault = checkFields(classes.chat, body);
  if (fault !== undefined) return fault;
  const { messages } = body as { messages: readonly Readonly<Record<string, unknown>>[] };
  for (const [index, message] of messages.entries()) {
    const fields = classes.messages?.[String(message['role'])];
    const inside = fields === undefined ? undefined : checkFields(fields, message);
    if (inside !== undefined) return { ...inside, field: `messages[${index}].${inside.field}` };
  }
  return undefined;
}

function checkFields(fields: Fields, body: object): RequestFault | undefined {
  for (const [name, value] of Object.entries(body)) {
    const kinds = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (kinds === undefined) return { field: name, isUnknown: true };
    if (!kinds.some((kind) => isKind(value, kind))) return { field: name, isUnknown: false };
  }
  return undefined;
}

function isKind(value: unknown, kind: string): boolean {
  if (kind === 'any') return true;
  if (kind === 'null') return value === null;
  if (kind === 'array') return Array.isArray(value);
  if (kind === 'integer') return Number.isInteger(value);
  if (kind === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === kind;
}
