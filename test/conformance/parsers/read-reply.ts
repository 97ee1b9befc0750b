import type { ToolCallEvent } from '../../../packages/sdk/src/render/calls/tool-call-event.ts';
import type { ToolCallParser } from '../../../packages/sdk/src/render/calls/tool-call-event.ts';
import {
  type ToolCallParserOptions,
  joinTexts,
} from '../../../packages/sdk/src/render/calls/create-tool-call-parser.ts';

/** What makes a parser; a check takes it as an option, so that a broken one can be handed in. */
export type CreateParser = (options: ToolCallParserOptions) => ToolCallParser;

export interface ReadOptions extends ToolCallParserOptions {
  readonly createParser: CreateParser;
  /** The reply, in one piece or several. */
  readonly pieces: readonly (string | Uint8Array)[];
}

export function readReply({ createParser, pieces, ...options }: ReadOptions): ToolCallEvent[] {
  const parser = createParser(options);
  const events: ToolCallEvent[] = [];
  for (const piece of pieces) for (const event of parser.push(piece)) events.push(event);
  for (const event of parser.end()) events.push(event);
  return joinTexts(events);
}

type ReadCall = Extract<ToolCallEvent, { type: 'tool-call' }>;

export const listCalls = (events: readonly ToolCallEvent[]): ReadCall[] =>
  events.filter((event): event is ReadCall => event.type === 'tool-call');

/** Texts and raws of all events, which have to be the reply. */
export const joinRaw = (events: readonly ToolCallEvent[]): string =>
  events.map((event) => (event.type === 'text-delta' ? event.text : event.raw)).join('');
