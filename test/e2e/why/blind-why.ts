import type { RunStatus, WhyReply } from '@lachesis/protocol';
import { createWhy } from '../../../packages/server/src/services/runs/why/create-why.ts';
import { NOTHING_KNOWN } from '../../../packages/server/src/services/runs/why/learning/learning.ts';
import { BATCH_SIZE, GROUP_SIZE } from './start-why-control.ts';

type Subject = Parameters<ReturnType<typeof createWhy>['explain']>[0];
type Processes = Awaited<ReturnType<Parameters<typeof createWhy>[0]['processes']>>;

/** A mutant that looks at the stations and never at the engine behind them: it believes that the engine is well. */
export function createBlindWhy(engineUrl: string): (status: RunStatus) => Promise<WhyReply> {
  let processes: Processes = [];
  const why = createWhy({
    now: Date.now,
    findOtherHost: () => undefined,
    ownLag: () => null,
    engineKey: undefined,
    readTail: async () => [],
    processes: async () => processes,
    learning: async () => NOTHING_KNOWN,
    fetch: async (input, init) =>
      typeof input === 'string' && input.startsWith(engineUrl) ? new Response('{}') : await fetch(input, init),
  });
  return async (status) => {
    processes = status.process_details.map(({ role, state, pid, port, restarts, reason, log }) => ({
      ...{ role, state, pid, port, restarts, reason, logPath: log },
      ...{ instanceId: null, pidStarted: null, host: null, deaths: [], startAfter: null },
    }));
    const subject = {
      ...{ runId: status.run_id, shortId: status.run_id, state: status.status, reason: status.reason },
      ...{ changedAt: status.changed_at, details: { engineUrl } },
      config: { recipe: { env: { group_size: GROUP_SIZE, batch_size: BATCH_SIZE } } },
    } as unknown as Subject;
    return await why.explain(subject);
  };
}
