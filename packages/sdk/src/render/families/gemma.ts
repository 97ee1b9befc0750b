import type { FamilyFile } from './family.ts';

/** Gemma 2 and 3: the assistant is called model, and the template knows neither tools nor a role for their results. */
export const gemma: FamilyFile = {
  recognise(template) {
    if (!template.includes('<start_of_turn>')) return undefined;
    return {
      name: 'gemma',
      toolFormat: undefined,
      toolArguments: 'object',
      thinkingVariable: undefined,
      reasoning: undefined,
      stopTokens: ['<end_of_turn>', '<eos>'],
      replyTokens: [],
    };
  },
};
