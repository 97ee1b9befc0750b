import { LeaseLostError, openHome, openWork } from '@lachesis/store';
import { type Contender, LEASE_SECONDS, workInLoops } from './contender.ts';

const TENANT = 'bench';
const NAME = 'job';

/** `store/work`, as `lachesis batch` and `lachesis worker` use it. */
export async function openOurs({ url, folder }: { url: string; folder: string }): Promise<Contender> {
  const home = await openHome({ home: folder, databaseUrl: url, deadlineMs: 30_000, connectTimeoutMs: 30_000 });
  const work = openWork({ store: home.store, blobs: home.blobs, tenantId: TENANT, name: NAME });
  return {
    trigger: { table: 'work_items', key: 'new.item_index', isEnd: "new.state = 'done'" },
    fill: (count) =>
      work.create({
        settings: {},
        inputs: Array.from({ length: count }, (_, index) => ({ index, text: 'x'.repeat(200) })),
      }),
    countDone: async () => (await work.count()).done,
    supervise: async () => undefined,
    work: (options) =>
      workInLoops(options, {
        claim: async () => {
          const [item] = await work.acquire({ holder: options.holder, leaseSeconds: LEASE_SECONDS, count: 1 });
          return item;
        },
        numberOf: ({ index }) => index,
        end: async (item) => {
          await work
            .finish({ item, state: 'done', result: { text: 'y'.repeat(200) }, cost: 0 })
            .catch((error: unknown) => {
              // Somebody else has it; that is theirs to end.
              if (!LeaseLostError.isInstance(error)) throw error;
            });
        },
      }),
    [Symbol.asyncDispose]: () => home.close(),
  };
}
