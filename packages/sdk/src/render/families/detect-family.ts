import { chatml } from './chatml.ts';
import { deepseek } from './deepseek.ts';
import type { Family } from './family.ts';
import { gemma } from './gemma.ts';
import { glm } from './glm.ts';
import { kimi } from './kimi.ts';
import { llama3 } from './llama3.ts';
import { longcat } from './longcat.ts';
import { mistral } from './mistral.ts';
import { qwen } from './qwen.ts';

/** In this order: a template of Qwen is also ChatML. */
const FAMILIES = [longcat, kimi, glm, qwen, chatml, llama3, mistral, deepseek, gemma];

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

/** By the turn markers in the template: names of models and folders say little. */
export function detectFamily(template: string): Family {
  for (const { recognise } of FAMILIES) {
    const family = recognise(template);
    if (family !== undefined) return family;
  }
  return UNKNOWN;
}
