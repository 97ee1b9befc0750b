import type {
  RlToolInputs,
  RlToolName,
  RlToolOutputs,
  rlToolInputSchemas,
  rlToolOutputSchemas,
} from '@lachesis/protocol';

/** How far a call has come. */
export interface RlToolProgress {
  done: number;
  /** Absent while nobody knows. */
  total?: number | undefined;
  message: string;
}

export interface RlToolCallOptions {
  signal?: AbortSignal | undefined;
  /** Told while the call goes on; only calls that take long tell anything. */
  onProgress?: ((progress: RlToolProgress) => void) | undefined;
}

/** What every tool gives instead of throwing. */
export interface RlToolFailure {
  /** What happened, with which thing, and what to do next. */
  error: string;
  [more: string]: unknown;
}

/** What a caller has to know before it lets a model use the tool. */
export interface RlToolEffects {
  /** Changes nothing anywhere. */
  isReadOnly: boolean;
  /** Ends or overwrites something that does not come back. */
  isDestructive: boolean;
  /** Twice is the same as once. */
  isIdempotent: boolean;
  /** Uses compute or an account that somebody pays for. */
  isCostly: boolean;
}

/** What a call gave; `text` is the value as indented JSON, which is what a model reads. */
export type RlToolAnswer<Name extends RlToolName = RlToolName> =
  | { isFailure: false; value: RlToolOutputs[Name]; text: string }
  | { isFailure: true; value: RlToolFailure; text: string };

/** One of the ten tools. */
export interface RlTool<Name extends RlToolName = RlToolName> {
  readonly name: Name;
  readonly title: string;
  /** For the model. */
  readonly description: string;
  readonly effects: RlToolEffects;
  readonly inputSchema: (typeof rlToolInputSchemas)[Name];
  readonly outputSchema: (typeof rlToolOutputSchemas)[Name];
  /** Checks what it is given, whoever gives it. Never rejects. */
  run(input: RlToolInputs[Name], options?: RlToolCallOptions): Promise<RlToolAnswer<Name>>;
}

/** The ten tools by the names under which agents call them. */
export type RlTools = { readonly [Name in RlToolName]: RlTool<Name> };
