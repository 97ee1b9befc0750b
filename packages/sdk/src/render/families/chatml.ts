import type { FamilyFile } from './family.ts';

/** Plain ChatML, as SmolLM2 has it: no tools in the template, so calls are written the way Hermes does, if at all. */
export const chatml: FamilyFile = {
  recognise(template) {
    if (!template.includes('<|im_start|>')) return undefined;
    return {
      name: 'chatml',
      toolFormat: 'hermes',
      toolArguments: 'object',
      thinkingVariable: undefined,
      reasoning: undefined,
      stopTokens: ['<|im_end|>', '<|endoftext|>'],
      replyTokens: [],
    };
  },
};
