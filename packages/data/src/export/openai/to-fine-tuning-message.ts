import type { ChatMessage } from '@lachesis/protocol';
import type { DropReport } from '../../records/drop-report.ts';

const KEPT = new Set(['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'weight', 'refusal']);

export interface FineTuningMessageOptions {
  readonly drops: DropReport;
  /** False writes a weight of 0 to each reply: read, and not learnt from. */
  readonly isTrained: boolean;
}

/** A message with the fields that the service knows; it refuses a file that has others. */
export function toFineTuningMessage(message: ChatMessage, { drops, isTrained }: FineTuningMessageOptions): unknown {
  const out: Record<string, unknown> = {};
  const hasCalls = (message.tool_calls?.length ?? 0) > 0;
  for (const [key, value] of Object.entries(message)) {
    if (value === undefined || (value === null && !(key === 'content' && hasCalls))) continue;
    if (KEPT.has(key)) out[key] = value;
    else drops.add(`messages.${key}`, 'OpenAI’s fine-tuning has no such field');
  }
  if (!hasCalls) delete out['tool_calls'];
  if (out['content'] === undefined && !hasCalls) {
    out['content'] = '';
    drops.add('messages.content', 'an absent content is not told from an empty one');
  }
  if (message.role === 'assistant' && !isTrained) out['weight'] = 0;
  return out;
}
