import { RenderError } from '../errors/render-error.ts';
import { startsWith } from './encode-pieces.ts';
import { type ConversationOptions, type RenderedConversation, renderConversation } from './render-conversation.ts';

export interface TrainingSpan {
  readonly messageIndex: number;
  /** The tokens [start, end) are those of the message. */
  readonly start: number;
  readonly end: number;
  /**
   * How it was found: `generation` by the template's own marks, `prefix` because the conversation begins with the tokens of the
   * prompt alone, `loop` by what the template wrote while it went over the message.
   */
  readonly method: 'generation' | 'prefix' | 'loop';
}

export interface TrainingIssue {
  readonly messageIndex: number;
  readonly kind:
    /** The template does not print the message, or prints it where it cannot be found. */
    | 'not-rendered'
    /** What precedes the message is not the generation prompt, so the span includes what the template puts before it. */
    | 'no-clear-start'
    /** A token holds the end of the prompt and the beginning of the message; it is left out. */
    | 'merged-boundary'
    /** The template does not end the message with a stop token. */
    | 'no-stop-token'
    /** The template puts a stop token inside the message, behind which a model would not have gone on. */
    | 'inner-stop-token';
}

export interface FindTrainingSpanOptions {
  readonly conversation: ConversationOptions;
  readonly full: RenderedConversation;
  readonly messageIndex: number;
}

interface TextPlace {
  /** In UTF-16 units of the rendered text. */
  readonly start: number;
  readonly end: number;
  readonly method: TrainingSpan['method'];
  readonly hasClearStart: boolean;
}

export async function findTrainingSpan(
  options: FindTrainingSpanOptions,
): Promise<{ span: TrainingSpan | undefined; issues: TrainingIssue[] }> {
  const { full, messageIndex, conversation } = options;
  const issues: TrainingIssue[] = [];
  const report = (kind: TrainingIssue['kind']): void => void issues.push({ messageIndex, kind });
  const place = await findPlace(options);
  if (place === undefined) {
    report('not-rendered');
    return { span: undefined, issues };
  }
  if (!place.hasClearStart) report('no-clear-start');

  const from = countCodePoints(full.text, place.start);
  const to = countCodePoints(full.text, place.end);
  // Tokens of white space at the end of a normalised text may begin late; what counts is where they end.
  const first = full.ends.findIndex((end) => end > from);
  const start = first >= 0 && (full.starts[first] ?? 0) < from ? first + 1 : first;
  if (start !== first) report('merged-boundary');
  const behind = full.starts.findIndex((at, index) => index >= start && at >= to);
  const limit = behind < 0 ? full.tokens.length : behind;
  const { stopTokens } = conversation.tokenizer;
  const stopAt = full.tokens
    .subarray(0, limit)
    .findLastIndex((token, index) => index >= start && stopTokens.has(token));
  if (stopAt < 0) report('no-stop-token');
  const end = stopAt < 0 ? limit : stopAt + 1;
  if (full.tokens.subarray(start, end - 1).some((token) => stopTokens.has(token))) report('inner-stop-token');
  if (start < 0 || end <= start) {
    report('not-rendered');
    return { span: undefined, issues };
  }
  return { span: { messageIndex, start, end, method: place.method }, issues };
}

async function findPlace(options: FindTrainingSpanOptions): Promise<TextPlace | undefined> {
  const { full, messageIndex } = options;
  const written = full.messageSpans[messageIndex];
  const isWritten = written !== undefined && written.end > written.start;
  const marked = full.generationSpans?.filter(
    (span) => isWritten && span.start >= written.start && span.end <= written.end,
  );
  const [firstMarked, lastMarked] = [marked?.[0], marked?.at(-1)];
  if (firstMarked !== undefined && lastMarked !== undefined) {
    return { start: firstMarked.start, end: lastMarked.end, method: 'generation', hasClearStart: true };
  }
  const prompt = await renderPart(options, messageIndex, true);
  const through = await renderPart(options, messageIndex + 1, false);
  const end =
    through !== undefined && full.text.startsWith(through.text)
      ? through.text.length
      : isWritten
        ? written.end
        : undefined;
  if (prompt !== undefined && end !== undefined && full.text.startsWith(prompt.text) && prompt.text.length < end) {
    // The text agrees; whether the tokens do shows up as a merged boundary, and is checked here against the prompt itself.
    const method = startsWith(full.tokens, prompt.tokens) ? 'prefix' : 'loop';
    return { start: prompt.text.length, end, method, hasClearStart: true };
  }
  if (!isWritten) return undefined;
  const opening = await findOpening(options, prompt);
  const hasClearStart = opening !== undefined && full.text.startsWith(opening, written.start);
  const start = written.start + (hasClearStart ? opening.length : 0);
  return start < written.end ? { start, end: written.end, method: 'loop', hasClearStart } : undefined;
}

/** What the generation prompt adds: the header of a message that the model does not write. */
async function findOpening(
  options: FindTrainingSpanOptions,
  prompt: RenderedConversation | undefined,
): Promise<string | undefined> {
  const before = await renderPart(options, options.messageIndex, false);
  if (prompt === undefined || before === undefined || !prompt.text.startsWith(before.text)) return undefined;
  return prompt.text.slice(before.text.length);
}

/** The first messages alone; undefined when the template refuses to end there. */
async function renderPart(
  { conversation }: FindTrainingSpanOptions,
  length: number,
  addGenerationPrompt: boolean,
): Promise<RenderedConversation | undefined> {
  if (length === 0) return undefined;
  try {
    return await renderConversation({
      ...conversation,
      messages: conversation.messages.slice(0, length),
      addGenerationPrompt,
    });
  } catch (error) {
    if (RenderError.isInstance(error) && (error.kind === 'template-refused' || error.kind === 'template-failed')) {
      return undefined;
    }
    throw error;
  }
}

function countCodePoints(text: string, end: number): number {
  return Array.from(text.slice(0, end)).length;
}
