import type { ToolCallFormat } from '@lachesis/protocol';

/** What a family of models does its own way. Everything else comes from the model's own template and tokenizer. */
export interface Family {
  readonly name: string;
  /** How its models write tool calls; undefined when its template knows none. */
  readonly toolFormat: ToolCallFormat | undefined;
  /**
   * In which form its template prints the arguments of a call: as an object, as JSON text, or either. Given text where an
   * object is printed, a template would print a quoted string; given an object where text is added, it would fail.
   */
  readonly toolArguments: 'object' | 'text' | 'either';
  /** The variable of the template that switches thinking; undefined when there is no switch. */
  readonly thinkingVariable: string | undefined;
  /** What encloses the reasoning in a reply. */
  readonly reasoning: { readonly open: string; readonly close: string } | undefined;
  /** Tokens after which a reply is over, besides the model's own end token. */
  readonly stopTokens: readonly string[];
  /** Tokens that are no turn markers and that its models write themselves: allowed in messages of the assistant. */
  readonly replyTokens: readonly string[];
}

/** A model nobody described renders by its template alone; its calls stay text. */
const UNKNOWN: Family = {
  name: 'unknown',
  toolFormat: undefined,
  toolArguments: 'either',
  thinkingVariable: undefined,
  reasoning: undefined,
  stopTokens: [],
  replyTokens: [],
};

/** In this order: a template of Qwen is also ChatML. Each makes its family when the template is one of its own. */
const FAMILIES = [
  recogniseLongcat,
  recogniseKimi,
  recogniseGlm,
  recogniseQwen,
  recogniseChatml,
  recogniseLlama3,
  recogniseMistral,
  recogniseDeepseek,
  recogniseGemma,
];

/** By the turn markers in the template: names of models and folders say little. */
export function detectFamily(template: string): Family {
  for (const recognise of FAMILIES) {
    const family = recognise(template);
    if (family !== undefined) return family;
  }
  return UNKNOWN;
}

/** LongCat Flash: rounds in plain text, and calls as Hermes writes them between tags of its own. */
function recogniseLongcat(template: string): Family | undefined {
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
}

/** Kimi K2: turns in `<|im_middle|>`, calls in a section of their own, each with an id that the template prints back. */
function recogniseKimi(template: string): Family | undefined {
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
}

/** GLM 4.5 and later: values of calls in tags. 4.5 and 4.6 put each tag on a line of its own, 4.7 none. */
function recogniseGlm(template: string): Family | undefined {
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
}

/**
 * Qwen 2.5 and 3, and what follows their template: ChatML with calls in `<tool_call>` and, since 3, thinking. Coder and what
 * came after it write the calls in tags and not in JSON.
 */
function recogniseQwen(template: string): Family | undefined {
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
}

/** Plain ChatML, as SmolLM2 has it: no tools in the template, so calls are written the way Hermes does, if at all. */
function recogniseChatml(template: string): Family | undefined {
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
}

function recogniseLlama3(template: string): Family | undefined {
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
}

function recogniseMistral(template: string): Family | undefined {
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
}

function recogniseDeepseek(template: string): Family | undefined {
  if (!template.includes('<｜Assistant｜>')) return undefined;
  return {
    name: 'deepseek',
    // V3 and R1 fence the arguments, V3.1 does not.
    toolFormat: template.includes('```json') || !template.includes('<｜tool▁sep｜>') ? 'deepseek_v3' : 'deepseek_v3_1',
    // Its own template adds the arguments to a string; those that servers ship with make JSON of them.
    toolArguments: /\barguments(?:'\])?\s*\|\s*tojson/.test(template) ? 'object' : 'text',
    thinkingVariable: /\bthinking is defined/.test(template) ? 'thinking' : undefined,
    reasoning: template.includes('</think>') ? { open: '<think>', close: '</think>' } : undefined,
    stopTokens: ['<｜end▁of▁sentence｜>'],
    replyTokens: template.includes('</think>') ? ['<think>', '</think>'] : [],
  };
}

/** Gemma 2 and 3: the assistant is called model, and the template knows neither tools nor a role for their results. */
function recogniseGemma(template: string): Family | undefined {
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
}
