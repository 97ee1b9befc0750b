import type { FamilyFile } from './family.ts';

export const deepseek: FamilyFile = {
  recognise(template) {
    if (!template.includes('<｜Assistant｜>')) return undefined;
    return {
      name: 'deepseek',
      // V3 and R1 fence the arguments, V3.1 does not.
      toolFormat:
        template.includes('```json') || !template.includes('<｜tool▁sep｜>') ? 'deepseek_v3' : 'deepseek_v3_1',
      // Its own template adds the arguments to a string; those that servers ship with make JSON of them.
      toolArguments: /\barguments(?:'\])?\s*\|\s*tojson/.test(template) ? 'object' : 'text',
      thinkingVariable: /\bthinking is defined/.test(template) ? 'thinking' : undefined,
      reasoning: template.includes('</think>') ? { open: '<think>', close: '</think>' } : undefined,
      stopTokens: ['<｜end▁of▁sentence｜>'],
      replyTokens: template.includes('</think>') ? ['<think>', '</think>'] : [],
    };
  },
};
