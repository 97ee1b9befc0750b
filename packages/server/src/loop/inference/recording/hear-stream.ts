import { StringDecoder } from 'node:string_decoder';
import type { CallDoor, CallError, HeardChoice, HeardReply } from './call-recorder.ts';
import { describeUpstreamError } from './describe-error.ts';
import { FoldedMessage } from './folded-message.ts';
import { hearAround, hearTokens, hearWhole, NOTHING_HEARD } from './hear-whole.ts';
import { isFields } from './to-recorded-message.ts';

type Fields = Readonly<Record<string, unknown>>;

interface FoldedChoice {
  message: FoldedMessage;
  finishReason: string | null;
  tokenIds: number[] | undefined;
  logprobs: number[] | undefined;
  promptTokenIds: number[] | undefined;
  policyVersion: number | undefined;
}

/** No piece of a reply is longer; what is, is passed on and not recorded. */
const MAX_LINE = 64 * 1024 * 1024;

/**
 * Hears a stream of events while it passes: each line is read once, when it is complete, and folded into the reply. It keeps
 * the pieces of texts and never the bytes.
 */
export class StreamEar {
  readonly #door: CallDoor;
  readonly #decoder = new StringDecoder('utf8');
  readonly #choices = new Map<number, FoldedChoice>();
  #rest = '';
  #around: Pick<HeardReply, 'usage' | 'cost' | 'model' | 'modelVersionId'> = NOTHING_HEARD;
  #whole: HeardReply | undefined;
  #error: CallError | undefined;
  #isDone = false;

  constructor(door: CallDoor) {
    this.#door = door;
  }

  /** The upstream has said that nothing more comes. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** What the upstream said went wrong in the middle of the stream. */
  get error(): CallError | undefined {
    return this.#error;
  }

  take(chunk: Buffer): void {
    const text = this.#rest + this.#decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#takeLine(text.slice(start, end));
      start = end + 1;
    }
    this.#rest = text.length - start > MAX_LINE ? '' : text.slice(start);
  }

  /** The stream has ended: what is left is a line without its end. */
  end(): void {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = '';
    if (rest !== '') this.#takeLine(rest);
  }

  /** Every choice that has begun has its reason for ending. */
  get isFinished(): boolean {
    if (this.#whole !== undefined) return this.#isDone;
    const choices = [...this.#choices.values()];
    return this.#isDone || (choices.length > 0 && choices.every(({ finishReason }) => finishReason !== null));
  }

  get heard(): HeardReply {
    if (this.#whole !== undefined) return this.#whole;
    const choices = [...this.#choices].sort(([left], [right]) => left - right);
    return {
      choices: choices.map(([index, choice]): HeardChoice => ({ ...choice, index, message: choice.message.read() })),
      ...this.#around,
    };
  }

  #takeLine(line: string): void {
    if (!line.startsWith('data:')) return;
    const data = line.slice(5).trim();
    if (data === '') return;
    if (data === '[DONE]') {
      this.#isDone = true;
      return;
    }
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      // Bytes of the upstream that are no event; the caller has them too.
      return;
    }
    if (isFields(event)) this.#takeEvent(event);
  }

  #takeEvent(event: Fields): void {
    const { error } = event;
    if (error !== undefined && error !== null) this.#error = describeUpstreamError(error);
    if (this.#door === 'generate') {
      // Each event of SGLang has the whole text so far.
      this.#whole = hearWhole('generate', event);
      return;
    }
    const around = hearAround(event);
    const modelVersionId = around.modelVersionId ?? this.#around.modelVersionId;
    this.#around = {
      ...(modelVersionId === undefined ? {} : { modelVersionId }),
      usage: around.usage ?? this.#around.usage,
      cost: around.cost ?? this.#around.cost,
      model: around.model ?? this.#around.model,
    };
    const choices = Array.isArray(event['choices']) ? event['choices'].filter(isFields) : [];
    for (const [place, choice] of choices.entries()) this.#takeChoice(choice, place, event);
  }

  #takeChoice(choice: Fields, place: number, event: Fields): void {
    const index = typeof choice['index'] === 'number' ? choice['index'] : place;
    let folded = this.#choices.get(index);
    if (folded === undefined) {
      folded = {
        message: new FoldedMessage(),
        finishReason: null,
        tokenIds: undefined,
        logprobs: undefined,
        promptTokenIds: undefined,
        policyVersion: undefined,
      };
      this.#choices.set(index, folded);
    }
    if (this.#door === 'chat') {
      if (isFields(choice['delta'])) folded.message.take(choice['delta']);
    } else folded.message.take({ content: choice['text'] });
    if (typeof choice['finish_reason'] === 'string') folded.finishReason = choice['finish_reason'];
    const { tokenIds, logprobs } = hearTokens(choice);
    folded.tokenIds = join(folded.tokenIds, tokenIds);
    folded.logprobs = join(folded.logprobs, logprobs);
    const prompt = choice['prompt_token_ids'] ?? event['prompt_token_ids'];
    // With several choices one reply-wide prompt comes once, with the first.
    if (Array.isArray(prompt)) folded.promptTokenIds = prompt as number[];
    else folded.promptTokenIds ??= this.#choices.values().next().value?.promptTokenIds;
    const version = choice['policy_version'] ?? event['policy_version'];
    if (Number.isSafeInteger(version)) folded.policyVersion = version as number;
  }
}

function join(known: number[] | undefined, more: readonly number[] | undefined): number[] | undefined {
  if (more === undefined) return known;
  if (known === undefined) return [...more];
  for (const each of more) known.push(each);
  return known;
}
