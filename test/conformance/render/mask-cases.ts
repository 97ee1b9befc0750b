import type { TemplateMessage } from '@lachesis/sdk/render';

import { type FamilyCase, families } from './families.ts';
import { makeConversations } from './make-conversations.ts';

/** ChatML that says itself what the model writes. */
export const MASK_TEMPLATE =
  "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' }}{% if message.role == 'assistant' %}" +
  "{% generation %}{{ message.content + '<|im_end|>' }}{% endgeneration %}{{ '\\n' }}{% else %}" +
  "{{ message.content + '<|im_end|>\\n' }}{% endif %}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

export interface MaskCase {
  readonly messages: readonly TemplateMessage[];
  readonly line: string;
}

/**
 * Conversations with text only, for the mask that Python makes of the template's own marks. Where a reply begins with a line
 * end, one token holds the end of its header too: Python learns that token, we leave it out and say so.
 */
export function makeMaskCases(): { family: FamilyCase; cases: MaskCase[] } {
  const family = families.find(({ name }) => name === 'qwen2_5');
  if (family === undefined) throw new Error('there is no family qwen2_5');
  const cases = makeConversations({ ...family, hasTools: false, count: 60 })
    .map(({ json }) => (JSON.parse(json) as { messages: TemplateMessage[] }).messages)
    .filter((messages) => messages.every(({ content }) => typeof content === 'string' && !/^\s*\n/.test(content)))
    .map((messages) => ({
      messages,
      line: JSON.stringify({ kind: 'mask', directory: family.directory, messages, template: MASK_TEMPLATE }),
    }));
  return { family, cases };
}
