import type { FamilyFile } from './family.ts';

export const deepseek: FamilyFile = {
  recognise(template) {
    if (!template.includes('<｜Assistant｜>')) return undefined;
    return {
      name: 'deepseek',
      toolFormat: 'deepseek_v3',
      // Its template adds the arguments to a string.
      toolArguments: 'text',
      thinkingVariable: undefined,
      reasoning: template.includes('</think>') ? { open: '<think>', close: '</think>' } : undefined,
      stopTokens: ['<｜end▁of▁sentence｜>'],
      replyTokens: template.includes('</think>') ? ['<think>', '</think>'] : [],
    };
  },
};
