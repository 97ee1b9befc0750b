import { makeConversation, type ConversationRecord, type OfferedTool, type ChatMessage } from '@lachesis/protocol';
import {
  type FormatShareGptOptions,
  formatShareGptLine,
} from '../../../packages/data/src/export/sharegpt/write-sharegpt.ts';

export interface OurLineInput {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly OfferedTool[];
  readonly completed: boolean;
}

/** A record of which only the messages are known. */
export const toRecord = ({ messages, tools, completed }: OurLineInput, id = 'one'): ConversationRecord =>
  makeConversation({
    id,
    messages: [...messages],
    tools: tools === undefined || tools.length === 0 ? null : [...tools],
    model: 'scripted',
    timestamp: '2026-11-15T00:00:00',
    completed,
  });

export const ourLine = (input: OurLineInput, options: FormatShareGptOptions = {}): string =>
  formatShareGptLine(toRecord(input), options);
