import type { FamilyFile } from './family.ts';

export const llama3: FamilyFile = {
  recognise(template) {
    if (!template.includes('<|start_header_id|>')) return undefined;
    return {
      name: 'llama3',
      toolFormat: 'llama3_json',
      toolArguments: 'object',
      thinkingVariable: undefined,
      reasoning: undefined,
      // eom ends a turn in which the model waits for the result of a call.
      stopTokens: ['<|eot_id|>', '<|eom_id|>', '<|end_of_text|>'],
      replyTokens: [],
    };
  },
};
