import type { ChatMessage } from '@lachesis/protocol';
import { createRandom } from '../create-random.ts';
import type { OpenedEnvironment } from '../definition.ts';
import { textOf } from '../policy/read-completions.ts';
import { toMessages } from '../rollout/rollout-parts.ts';
import type { Drawn } from '../split.ts';

export interface FoundTask {
  readonly drawn: Drawn<'train'>;
  /** How many messages of a rollout are its prompt. */
  readonly promptLength: number;
}

/** Looks up the task of a conversation by the messages it begins with. */
export type FindTask = (messages: readonly ChatMessage[]) => Promise<FoundTask | { readonly problem: string }>;

/** So many are looked at before the first answer, so that two tasks with one prompt are noticed. */
const ITEMS_COMPARED = 1_000;
/** A file of more groups than this is split by whoever made it. */
const ITEMS_SEARCHED = 20_000;

export function indexTasks(environment: OpenedEnvironment, signal: AbortSignal): FindTask {
  const tasks = new Map<string, FoundTask & { isShared: boolean }>();
  const lengths = new Set<number>();
  const keys = new Set<string>();
  const search = { drawnUntil: 0, isExhausted: false };
  const { config, state } = environment;
  const random = createRandom(config.seed, 'reverify');
  const context = { config, state, random, signal, log: () => {}, split: 'train' as const, rolloutId: 'reverify' };

  const look = async (): Promise<void> => {
    const drawn = await environment.drawTrainItem(search.drawnUntil);
    search.drawnUntil += 1;
    // A list that is through begins again.
    search.isExhausted = drawn === undefined || keys.has(drawn.key) || search.drawnUntil >= ITEMS_SEARCHED;
    if (drawn === undefined || keys.has(drawn.key)) return;
    keys.add(drawn.key);
    const prompt = toMessages(await environment.formatPrompt(drawn, context), environment);
    const key = keyOf(prompt);
    const known = tasks.get(key);
    if (known === undefined) tasks.set(key, { drawn, promptLength: prompt.length, isShared: false });
    else if (JSON.stringify(known.drawn.item) !== JSON.stringify(drawn.item)) known.isShared = true;
    lengths.add(prompt.length);
  };
  const find = (messages: readonly ChatMessage[]): (FoundTask & { isShared: boolean }) | undefined => {
    // The longest prompt that fits: examples in a prompt may look like the beginning of a rollout of another.
    const wanted = [...lengths].filter((length) => length <= messages.length).toSorted((a, b) => b - a);
    for (const length of wanted) {
      const task = tasks.get(keyOf(messages.slice(0, length)));
      if (task !== undefined) return task;
    }
    return undefined;
  };

  return async (messages) => {
    while (!search.isExhausted && search.drawnUntil < ITEMS_COMPARED) await look();
    let task = find(messages);
    while (task === undefined && !search.isExhausted) {
      signal.throwIfAborted();
      await look();
      task = find(messages);
    }
    if (task === undefined) return { problem: `none of the ${keys.size} tasks that were looked at has this prompt` };
    if (task.isShared) return { problem: 'several tasks of the environment have this prompt' };
    return task;
  };
}

const keyOf = (messages: readonly ChatMessage[]): string =>
  JSON.stringify(messages.map(({ role, content }) => [role, typeof content === 'string' ? content : textOf(content)]));
