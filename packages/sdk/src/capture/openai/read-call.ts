import type { OfferedTool, RecordedMessage } from '@lachesis/protocol';
import { asList, isObject, asText, parseJson, type JsonObject } from './json-shapes.ts';
import { readInput, readTools } from './hear-responses.ts';

export type CallDoor = 'chat' | 'completions' | 'responses';

/** A call of a model as it was asked. */
export interface AskedCall {
  door: CallDoor;
  model: string;
  messages: RecordedMessage[];
  tools: OfferedTool[] | null;
  sampling: Record<string, unknown>;
  isStream: boolean;
  upstream: string;
}

/** Which calls are recorded: those that end so. What else the client does passes by. */
const DOORS: readonly (readonly [ending: string, door: CallDoor])[] = [
  ['/chat/completions', 'chat'],
  ['/completions', 'completions'],
  ['/responses', 'responses'],
];

/** Reads a request, or returns undefined for one that is no call of a model. */
export function readCall(address: string, method: string | undefined, body: unknown): AskedCall | undefined {
  if (method?.toUpperCase() !== 'POST' || typeof body !== 'string' || !URL.canParse(address)) return undefined;
  const { pathname, host } = new URL(address);
  const door = DOORS.find(([ending]) => pathname.endsWith(ending))?.[1];
  const request = parseJson(body);
  if (door === undefined || !isObject(request)) return undefined;
  const {
    model,
    messages: _messages,
    tools,
    prompt: _prompt,
    input: _input,
    stream,
    instructions: _instructions,
    ...sampling
  } = request;
  return {
    door,
    model: asText(model) ?? '',
    messages: readMessages(door, request),
    tools: door === 'responses' ? readTools(request) : readOffered(tools),
    sampling,
    isStream: stream === true,
    upstream: host,
  };
}

function readMessages(door: CallDoor, request: JsonObject): RecordedMessage[] {
  if (door === 'responses') return readInput(request);
  if (door === 'chat') {
    return asList(request['messages'])
      .filter(isObject)
      .map((message) => ({ ...message, role: asText(message['role']) ?? 'user' }));
  }
  const { prompt } = request;
  return typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : [];
}

function readOffered(tools: unknown): OfferedTool[] | null {
  const offered = asList(tools).filter(isObject) as OfferedTool[];
  return offered.length === 0 ? null : offered;
}
