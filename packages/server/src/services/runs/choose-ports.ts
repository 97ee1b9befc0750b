import type { RunRole } from '@lachesis/protocol';
import { listOpenRuns, listRunProcesses, type Store, type TrainingRun } from '@lachesis/store';
import { createServer } from 'node:net';
import type { ResolvedRun } from './config/configurator.ts';
import { readRunDetails } from './details.ts';

/** Those of the recipe when nobody has them, because people know them; else free ones. */
export async function choosePorts(
  store: Store,
  { recipe }: Pick<ResolvedRun, 'recipe'>,
  { isAny = false }: { isAny?: boolean } = {},
): Promise<{ api: number; trainer: number }> {
  const taken = new Set<number>();
  for (const { tenantId, runId } of await listOpenRuns({ store })) {
    for (const { port } of await listRunProcesses({ store, tenantId, runId })) if (port !== null) taken.add(port);
  }
  const [server] = recipe.openai as { base_url?: string }[];
  const api = await choosePort(isAny ? 0 : portOf(recipe.env['rollout_server_url'], 8000), taken);
  return { api, trainer: await choosePort(isAny ? 0 : portOf(server?.base_url, 8001), taken.add(api)) };
}

/** For a run that goes on: those of its recipe or free ones; none for one that has a single process. */
export async function choosePortsAgain(
  store: Store,
  run: TrainingRun,
): Promise<Readonly<Partial<Record<RunRole, number>>>> {
  if (readRunDetails(run.details).command !== null) return {};
  return await choosePorts(store, run.config as unknown as Pick<ResolvedRun, 'recipe'>);
}

function portOf(url: unknown, otherwise: number): number {
  const port = typeof url === 'string' && URL.canParse(url) ? new URL(url).port : '';
  return port === '' ? otherwise : Number(port);
}

/** The one that is wanted, else a free one; 0 wants none in particular. */
async function choosePort(wanted: number, taken: ReadonlySet<number>): Promise<number> {
  const found = wanted === 0 || taken.has(wanted) ? undefined : await tryPort(wanted);
  if (found !== undefined) return found;
  for (;;) {
    const free = await tryPort(0);
    if (free !== undefined && !taken.has(free)) return free;
  }
}

/** The port, when it can be listened on now. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ host: '127.0.0.1', port }, () => {
      const address = server.address();
      const found = typeof address === 'object' && address !== null ? address.port : undefined;
      server.close(() => resolve(found));
    });
  });
}
