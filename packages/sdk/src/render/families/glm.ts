import type { FamilyFile } from './family.ts';

/** GLM 4.5 and later: values of calls in tags. 4.5 and 4.6 put each tag on a line of its own, 4.7 none. */
export const glm: FamilyFile = {
  recognise(template) {
    if (!template.includes('<arg_key>') || !template.includes('<|assistant|>')) return undefined;
    const isThinking = template.includes('</think>');
    return {
      name: 'glm',
      toolFormat: /<\/arg_key>(?:\n|\\n)<arg_value>/.test(template) ? 'glm45' : 'glm47',
      toolArguments: 'object',
      thinkingVariable: template.includes('enable_thinking') ? 'enable_thinking' : undefined,
      reasoning: isThinking ? { open: '<think>', close: '</think>' } : undefined,
      // The turn that follows ends a reply: a question, or the result of a call.
      stopTokens: ['<|endoftext|>', '<|user|>', '<|observation|>'],
      replyTokens: [
        '<tool_call>',
        '</tool_call>',
        '<arg_key>',
        '</arg_key>',
        '<arg_value>',
        '</arg_value>',
        ...(isThinking ? ['<think>', '</think>'] : []),
      ],
    };
  },
};
