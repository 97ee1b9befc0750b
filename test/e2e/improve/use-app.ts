import { createLibraryClient } from '@lachesis/sdk';

import { askServed } from './ask-served.ts';
import { isLiked, questions, toPrompt } from './corpus.ts';

/** How often each question is asked: so often, nearly every question got both answers. */
const TIMES = 4;
const PARALLEL = 16;

/** The application asks, and all of it is recorded. Gives how many calls that were. */
export async function useApp({ url }: { url: string }): Promise<number> {
  const calls = questions.flatMap((question, place) =>
    Array.from({ length: TIMES }, (_, time) => ({
      prompt: toPrompt(question),
      key: `app/${place}/${time}`,
      seed: 1 + place * TIMES + time,
    })),
  );
  await inParallel(calls, (call) => askServed({ url, ...call }));
  return calls.length;
}

/** The scripted user reads everything that was recorded, and gives each answer a thumb. */
export async function rateReplies({
  url,
  calls,
}: {
  url: string;
  calls: number;
}): Promise<{ ratings: number; up: number }> {
  const library = createLibraryClient({ url });
  const ids: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await library.listTrajectories({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    ids.push(...page.trajectories.map(({ trajectory_id: id }) => id));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  if (ids.length !== calls) throw new Error(`${calls} calls were made and ${ids.length} trajectories are recorded`);
  let up = 0;
  await inParallel(ids, async (id) => {
    const detail = await library.readTrajectory(id);
    const turn = detail?.turns[0];
    const [prompt, reply] = [turn?.messages[0]?.content, turn?.replies[0]?.message.content];
    if (typeof prompt !== 'string' || typeof reply !== 'string') throw new Error(`${id} has no question or no answer`);
    const isUp = isLiked(prompt, reply);
    if (isUp) up += 1;
    await library.writeFeedback({
      ...{ trajectory_id: id, author: 'scripted user', author_kind: 'person' },
      ...{ kind: 'thumb', is_up: isUp },
    });
  });
  return { ratings: ids.length, up };
}

/** What share of answers people would like, on prompts that nothing was trained on; nothing of it is recorded. */
export async function measureServed(options: {
  url: string;
  prompts: readonly string[];
  times: number;
}): Promise<number> {
  const asked = options.prompts.flatMap((prompt, place) =>
    Array.from({ length: options.times }, (_, time) => ({ prompt, seed: 50_000 + place * options.times + time })),
  );
  let liked = 0;
  await inParallel(asked, async ({ prompt, seed }) => {
    const { text } = await askServed({ url: options.url, prompt, seed });
    if (isLiked(prompt, text)) liked += 1;
  });
  return liked / asked.length;
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items.values();
  const walk = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: PARALLEL }, walk));
}
