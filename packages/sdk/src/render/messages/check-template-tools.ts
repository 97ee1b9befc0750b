import { RenderError } from '../errors/render-error.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import type { TemplateMessage, Tool } from './message.ts';
import { layOutConversation } from './render-conversation.ts';

/** Parts of a conversation with tools that a template may pass over without a word. */
export type DroppedPart = 'tool_calls' | 'tools';

export interface TemplateToolsReport {
  /** What the template leaves out; empty for one that writes both. */
  readonly drops: readonly DroppedPart[];
  /** As a sentence, with the model's name; undefined when nothing is left out. */
  readonly problem: string | undefined;
}

/** Words that no template has of its own: the name of the tool, and what the call says. */
const [NAME, SAID] = ['lachesis_probe', 'lachesis_home'] as const;
const QUESTION: TemplateMessage = { role: 'user', content: 'Look.' };
/** Nine letters and digits: what Mistral's templates want of an id. */
const CALL_ID = 'callprobe';

const TOOL: Tool = {
  type: 'function',
  function: {
    name: NAME,
    description: 'Looks.',
    parameters: { type: 'object', properties: { at: { type: 'string', description: 'where' } }, required: ['at'] },
  },
};

const CALLED: readonly TemplateMessage[] = [
  QUESTION,
  {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: CALL_ID, type: 'function', function: { name: NAME, arguments: { at: SAID } } }],
  },
  { role: 'tool', content: 'Nothing.', tool_call_id: CALL_ID, name: NAME },
];

/**
 * Whether a model's template writes the tools that are offered and the calls that were made. One that leaves them out does so
 * silently: the model is trained on, or sampled from, a conversation in which they never happened.
 */
export function checkTemplateTools(tokenizer: Tokenizer): TemplateToolsReport {
  const drops: DroppedPart[] = [];
  if (isSilent(NAME, () => layOutConversation({ tokenizer, messages: [QUESTION], tools: [TOOL] }).text)) {
    drops.push('tools');
  }
  if (isSilent(SAID, () => layOutConversation({ tokenizer, messages: CALLED, tools: [TOOL] }).text)) {
    drops.push('tool_calls');
  }
  return {
    drops,
    problem:
      drops.length === 0
        ? undefined
        : `the chat template of ${tokenizer.place} leaves out ${drops.join(' and ')}: the model would never see them`,
  };
}

/** A template that refuses a conversation says so when it meets one; only what goes by unnoticed is looked for. */
function isSilent(word: string, render: () => string): boolean {
  try {
    return !render().includes(word);
  } catch (error) {
    if (RenderError.isInstance(error)) return false;
    throw error;
  }
}
