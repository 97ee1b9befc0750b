import type { FamilyFile } from './family.ts';

/** Kimi K2: turns in `<|im_middle|>`, calls in a section of their own, each with an id that the template prints back. */
export const kimi: FamilyFile = {
  recognise(template) {
    if (!template.includes('<|im_middle|>')) return undefined;
    const isThinking = template.includes('</think>');
    return {
      name: 'kimi',
      toolFormat: 'kimi_k2',
      toolArguments: 'either',
      thinkingVariable: undefined,
      reasoning: isThinking ? { open: '<think>', close: '</think>' } : undefined,
      stopTokens: ['<|im_end|>', '[EOS]'],
      replyTokens: [
        '<|tool_calls_section_begin|>',
        '<|tool_calls_section_end|>',
        '<|tool_call_begin|>',
        '<|tool_call_argument_begin|>',
        '<|tool_call_end|>',
        ...(isThinking ? ['<think>', '</think>'] : []),
      ],
    };
  },
};
