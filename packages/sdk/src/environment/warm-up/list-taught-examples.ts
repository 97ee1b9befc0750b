import type { ChatMessage } from '@lachesis/protocol';
import { createRandom } from '../create-random.ts';
import type { OpenedEnvironment } from '../definition.ts';
import { EnvironmentError } from '../environment-error.ts';
import { toMessages } from '../rollout/rollout-parts.ts';

/** A prompt as a rollout begins with it, and the reply that is taught for it. */
export interface TaughtExample {
  readonly messages: readonly ChatMessage[];
  readonly reply: string;
}

/** Prompts of training with a reply of the right form each, for the warm-up of a model. None is of the evaluation. */
export async function listTaughtExamples(
  environment: OpenedEnvironment,
  { count, signal }: { count: number; signal: AbortSignal },
): Promise<TaughtExample[]> {
  const { config, state } = environment;
  const shared = { config, state, signal, log: () => undefined, split: 'train' as const };
  const taught: TaughtExample[] = [];
  for (let index = 0; index < count; index += 1) {
    signal.throwIfAborted();
    const drawn = await environment.drawTrainItem(index);
    if (drawn === undefined) break;
    const context = { ...shared, random: createRandom('warm-up', index), rolloutId: `warm-up-${index}` };
    const given = environment.examples?.(drawn.item, context);
    const reply = given?.warmUp ?? (typeof given?.right === 'string' ? given.right : undefined);
    if (reply === undefined) {
      throw new EnvironmentError({
        kind: 'bad-definition',
        reason: 'The environment has no examples of one reply, so there is nothing to teach before the training.',
        hint: 'Give it `examples` with `warmUp` or `right`, go without (--tinker.warm_up none), or name an initial_state.',
      });
    }
    taught.push({ messages: toMessages(await environment.formatPrompt(drawn, context), environment), reply });
  }
  return taught;
}
