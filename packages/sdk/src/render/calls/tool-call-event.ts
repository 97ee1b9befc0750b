/** Why something that began like a call is none. Names are public: add, do not rename. */
export type MalformedReason =
  | 'invalid-json'
  /** The text ended inside the call. */
  | 'unclosed'
  /** The JSON is not an object (or a list of them, where the format has a list). */
  | 'not-an-object'
  | 'missing-name'
  | 'missing-arguments'
  | 'arguments-not-an-object'
  /** Something else stands between the JSON and the end of the call. */
  | 'trailing-text'
  /** A marker of the format is absent or at the wrong place. */
  | 'bad-marker';

export interface TextDelta {
  readonly type: 'text-delta';
  readonly text: string;
}

export interface ReadCall {
  readonly type: 'tool-call';
  readonly name: string;
  /** As `JSON.parse` reads them. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** As the model wrote them: numbers, order and spaces included. Where a format has no JSON, the JSON of what it wrote. */
  readonly argumentsText: string;
  /** When the format carries one. */
  readonly id: string | undefined;
  /** The part of the reply that was this call. */
  readonly raw: string;
}

export interface MalformedCall {
  readonly type: 'malformed-call';
  readonly reason: MalformedReason;
  readonly raw: string;
}

/** The texts and raws of all events, joined, are the reply: nothing is dropped. */
export type ToolCallEvent = TextDelta | ReadCall | MalformedCall;

export interface ToolCallParser {
  /** Takes the next piece of a reply. Bytes may be cut inside a character. */
  push(piece: string | Uint8Array): ToolCallEvent[];
  /** Says that the reply is over; what was held back comes out. */
  end(): ToolCallEvent[];
}
