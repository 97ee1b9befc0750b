import type { FamilyFile } from './family.ts';

/**
 * Qwen 2.5 and 3, and what follows their template: ChatML with calls in `<tool_call>` and, since 3, thinking. Coder and what
 * came after it write the calls in tags and not in JSON.
 */
export const qwen: FamilyFile = {
  recognise(template) {
    if (!template.includes('<|im_start|>') || !template.includes('<tool_call>')) return undefined;
    const isThinking = template.includes('</think>');
    return {
      name: 'qwen',
      toolFormat: template.includes('<function=') ? 'qwen3_coder' : 'qwen',
      toolArguments: template.includes('arguments is string') ? 'either' : 'object',
      thinkingVariable: template.includes('enable_thinking') ? 'enable_thinking' : undefined,
      reasoning: isThinking ? { open: '<think>', close: '</think>' } : undefined,
      stopTokens: ['<|im_end|>', '<|endoftext|>'],
      replyTokens: ['<tool_call>', '</tool_call>', ...(isThinking ? ['<think>', '</think>'] : [])],
    };
  },
};
