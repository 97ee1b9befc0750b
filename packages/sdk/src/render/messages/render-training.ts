import { type TrainingSpan, type TrainingIssue, findTrainingSpan } from './find-training-span.ts';
import type { TemplateMessage } from './message.ts';
import { type ConversationOptions, renderConversation } from './render-conversation.ts';

/** Which messages are learned from: the last reply, every reply, all of the text, or those a function picks. */
export type TrainOn =
  | 'last-assistant'
  | 'all-assistant'
  | 'everything'
  /** Which messages are to be learnt. */
  | ((message: TemplateMessage, index: number) => boolean);

export interface RenderTrainingOptions extends Omit<ConversationOptions, 'addGenerationPrompt'> {
  readonly trainOn: TrainOn;
}

export interface RenderedTraining {
  readonly text: string;
  readonly tokens: Int32Array;
  /** 1 where the token is to be learnt. */
  readonly mask: Uint8Array;
  /** Which tokens belong to which message, and how that was found out. */
  readonly spans: readonly TrainingSpan[];
  /** What the family's template does not allow to be exact. Empty: the mask is exactly what the model would have sampled. */
  readonly issues: readonly TrainingIssue[];
}

/**
 * Turns a conversation into tokens and a mask of those to learn: what the model itself would have sampled, from behind the
 * generation prompt up to and with the token that ends the turn.
 */
export async function renderTraining(options: RenderTrainingOptions): Promise<RenderedTraining> {
  const { trainOn, messages } = options;
  const full = await renderConversation({ ...options, addGenerationPrompt: false });
  const mask = new Uint8Array(full.tokens.length);
  const spans: TrainingSpan[] = [];
  const issues: TrainingIssue[] = [];
  if (trainOn === 'everything') {
    mask.fill(1);
    return { text: full.text, tokens: full.tokens, mask, spans, issues };
  }
  for (const messageIndex of listWanted(messages, trainOn)) {
    const found = await findTrainingSpan({ conversation: options, full, messageIndex });
    issues.push(...found.issues);
    if (found.span === undefined) continue;
    spans.push(found.span);
    mask.fill(1, found.span.start, found.span.end);
  }
  return { text: full.text, tokens: full.tokens, mask, spans, issues };
}

function listWanted(messages: readonly TemplateMessage[], trainOn: Exclude<TrainOn, 'everything'>): number[] {
  const isAssistant = (message: TemplateMessage): boolean => message.role === 'assistant';
  if (trainOn === 'last-assistant') {
    const last = messages.findLastIndex(isAssistant);
    return last < 0 ? [] : [last];
  }
  const isWanted = trainOn === 'all-assistant' ? isAssistant : trainOn;
  return [...messages.keys()].filter((index) => {
    const message = messages[index];
    return message !== undefined && isWanted(message, index);
  });
}
