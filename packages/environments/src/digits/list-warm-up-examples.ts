import { createRandom } from '@lachesis/sdk/environment';
import { drawDigits, REPLY_TOKENS } from './digits.ts';
import { EVALUATION_PROMPTS, TRAIN_PROMPTS } from './prompts.ts';

export interface WarmUpExample {
  readonly prompt: string;
  /** Digits, each as likely as any other. */
  readonly reply: string;
}

/**
 * Examples that teach a random model to write digits at all. Without them none of its samples earns anything, and there is
 * nothing to learn from; with them it writes the wanted digit one time in ten.
 */
export function listWarmUpExamples({ count, seed }: { count: number; seed: number }): WarmUpExample[] {
  const random = createRandom('digits warm-up', seed);
  const prompts = [...TRAIN_PROMPTS, ...EVALUATION_PROMPTS];
  return Array.from({ length: count }, (_unused, index) => ({
    prompt: prompts[index % prompts.length] ?? '',
    reply: drawDigits(random, REPLY_TOKENS),
  }));
}
