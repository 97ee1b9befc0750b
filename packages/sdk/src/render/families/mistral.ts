import type { FamilyFile } from './family.ts';

export const mistral: FamilyFile = {
  recognise(template) {
    if (!template.includes('[INST]')) return undefined;
    return {
      name: 'mistral',
      toolFormat: 'mistral',
      toolArguments: 'object',
      thinkingVariable: undefined,
      reasoning: undefined,
      stopTokens: ['</s>'],
      replyTokens: [],
    };
  },
};
