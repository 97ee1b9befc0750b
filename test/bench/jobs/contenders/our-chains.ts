import {
  acquireImprovement,
  advanceImprovement,
  LeaseLostError,
  listImprovements,
  openHome,
  startImprovement,
} from '@lachesis/store';
import { type Contender, LEASE_SECONDS, rest } from './contender.ts';

const STAGES = 5;
const TENANT = 'bench';

/** `store/improvements`: a chain of stages that one process at a time brings on, from where it stands. */
export async function openOurChains({ url, folder }: { url: string; folder: string }): Promise<Contender> {
  const home = await openHome({ home: folder, databaseUrl: url, deadlineMs: 30_000, connectTimeoutMs: 30_000 });
  const { store } = home;
  const list = async () => await listImprovements({ store, tenantId: TENANT });
  return {
    trigger: { table: 'improvements', key: 'new.model::int', isEnd: 'new.ended_at is not null' },
    async fill(count) {
      for (let index = 0; index < count; index += 1)
        await startImprovement({ store, tenantId: TENANT, model: String(index), plan: {}, stage: '0' });
    },
    countDone: async () => (await list()).filter(({ endedAt }) => endedAt !== null).length,
    supervise: async () => undefined,
    async work({ concurrency, workMs, holder, report }) {
      // Not all in the same order: most would ask for what somebody has.
      const order: string[] = [];
      const pick = async (): Promise<string | undefined> => {
        if (order.length === 0) {
          const open = (await list()).filter(({ endedAt }) => endedAt === null);
          order.push(...open.map(({ improvementId }) => improvementId).sort(() => Math.random() - 0.5));
        }
        return order.pop();
      };
      const loop = async (): Promise<never> => {
        for (;;) {
          const improvementId = await pick();
          if (improvementId === undefined) {
            await rest(50);
            continue;
          }
          const from = performance.now();
          const held = await acquireImprovement({
            ...{ store, tenantId: TENANT, improvementId, holder, seconds: LEASE_SECONDS },
          });
          if (held === undefined) continue;
          report.claimed(performance.now() - from);
          await bringOn(held).catch((error: unknown) => {
            if (!LeaseLostError.isInstance(error)) throw error;
          });
        }
      };
      const bringOn = async ({ improvement, lease }: NonNullable<Awaited<ReturnType<typeof acquireImprovement>>>) => {
        for (let stage = Number(improvement.stage); stage < STAGES; stage += 1) {
          const number = Number(improvement.model) * STAGES + stage;
          report.begun(number);
          if (workMs > 0) await rest(workMs);
          report.worked(number);
          const isLast = stage === STAGES - 1;
          await advanceImprovement({
            ...{ store, lease, from: String(stage), content: { text: 'y'.repeat(200) } },
            to: isLast ? { outcome: 'kept', reason: 'done' } : { stage: String(stage + 1) },
          });
        }
      };
      await Promise.all(Array.from({ length: concurrency }, loop));
      throw new Error('the loops have ended');
    },
    [Symbol.asyncDispose]: () => home.close(),
  };
}
