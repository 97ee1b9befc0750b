import { recordCaptures, type Home } from '@lachesis/store';
import { assistant, createCall, user } from '../../../packages/store/src/trajectories/captures.fixture.ts';

const DAY_MS = 86_400_000;
const PORTION = 500;

/** Every twentieth is of the person who will be forgotten, and says so. */
export const FORGOTTEN = { user: 'mallory', word: 'canarymallory', every: 20 };

/** Conversations of two turns as a recorder sent them so many days ago. */
export async function fillConversations(
  { store, blobs }: Home,
  options: { count: number; days: number; recorder: string },
): Promise<void> {
  const { count, days, recorder } = options;
  const at = (await store.now()) - days * DAY_MS;
  for (let start = 0; start < count; start += PORTION) {
    const records = Array.from({ length: Math.min(PORTION, count - start) }, (_, place) => {
      const index = start + place;
      const isForgotten = index % FORGOTTEN.every === 0;
      const shared = { recorder, trajectory: `${recorder}-${index}`, user: isForgotten ? FORGOTTEN.user : 'ada', at };
      const first = [user(`${isForgotten ? FORGOTTEN.word : 'question'} ${index} ${'word '.repeat(index % 200)}`)];
      const reply = assistant(`answer ${index}`);
      return [
        createCall({ ...shared, sequence: 2 * index, messages: first, reply, consent: 'keep' }),
        createCall({
          ...{ ...shared, sequence: 2 * index + 1, consent: 'keep' },
          messages: [...first, reply, user(`and ${index}?`)],
        }),
      ];
    }).flat();
    await recordCaptures({ store, blobs, tenantId: 'local', records });
  }
}
