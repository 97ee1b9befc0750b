import type { FamilyFile } from './family.ts';

/** LongCat Flash: rounds in plain text, and calls as Hermes writes them between tags of its own. */
export const longcat: FamilyFile = {
  recognise(template) {
    if (!template.includes('<longcat_tool_call>')) return undefined;
    const isThinking = template.includes('</longcat_think>');
    return {
      name: 'longcat',
      // Its later models write arguments in tags, for which there is no format here: their calls stay text.
      toolFormat: template.includes('<longcat_arg_key>') ? undefined : 'longcat',
      toolArguments: template.includes('arguments is string') ? 'either' : 'object',
      thinkingVariable: template.includes('enable_thinking') ? 'enable_thinking' : undefined,
      reasoning: isThinking ? { open: '<longcat_think>', close: '</longcat_think>' } : undefined,
      stopTokens: ['</longcat_s>'],
      replyTokens: [
        '<longcat_tool_call>',
        '</longcat_tool_call>',
        ...(isThinking ? ['<longcat_think>', '</longcat_think>'] : []),
      ],
    };
  },
};
