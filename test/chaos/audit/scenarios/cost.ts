import { join } from 'node:path';

import { createToken, openStore } from '@lachesis/store';
import { createLog } from '@lachesis/server/processes';
import { buildTrajectoryApi } from '../../../../packages/server/src/trajectory-api/build.ts';
import { openAuditLog } from '../../../../packages/server/src/http/audit/open-audit-log.ts';
import { readTrajectoryApiSettings } from '@lachesis/server';

import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { writeNumberedGroup } from '../../trajectory-api/load/numbered-group.ts';

const BLOCK = 40;
const ROUNDS = 6;
const FULL_ROUNDS = 25;
const CALLS = 50_000;
const BAR = 0.02;

/**
 * What the log costs a push. The judged figure is the CPU of the log itself, flush and signatures included, over the CPU of a
 * push: two whole servers beside each other differ by more than this from one run to the next.
 */
export const costScenario: Scenario = {
  name: 'cost',
  title: 'the audit log costs at most 2 % of the CPU of a push',
  async run(context) {
    const pushes = await measurePushes(context);
    const call = await measureLog(context);
    const share = call / pushes.without;
    const measured = (pushes.with / pushes.without - 1) * 100;
    context.report({
      name: 'cost of the log',
      figure: `${(share * 100).toFixed(2)} % (${call.toFixed(1)} of ${pushes.without.toFixed(0)} µs CPU a push; whole pushes with and without it differ by ${measured.toFixed(1)} % in this run)`,
      bar: '≤ 2 %',
      ok: share <= BAR,
    });
  },
};

/** CPU of this process in µs a push, all threads, in blocks with and without the log that follow each other. */
async function measurePushes(context: ScenarioContext): Promise<{ with: number; without: number }> {
  const home = await context.scratch();
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  const { token } = await createToken({ store, tenantId: 'local', name: 'push', scopes: ['env:push', 'trainer:pull'] });
  await store.close();
  let isOn = true;
  const api = await buildTrajectoryApi({
    settings: readTrajectoryApiSettings({ home, ingestWorkers: 1, diskReserve: 0 }, {}).values,
    log: createLog({ name: 'cost', level: 'silent' }),
    instanceId: 'cost',
    replace: { audit: (real) => ({ observe: (call) => (isOn ? real.observe(call) : undefined) }) },
  });
  context.defer(() => api.close());
  const headers = { host: 'localhost', authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const send = async (url: string, payload: Buffer | object): Promise<Record<string, unknown>> => {
    const body = Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload));
    const reply = await api.app.inject({ method: 'POST', url, headers, payload: body });
    if (reply.statusCode !== 200) throw new Error(`${url} answered ${reply.statusCode}: ${reply.body}`);
    return reply.json();
  };
  await send('/register', {
    ...{ wandb_group: 'g', wandb_project: 'p', batch_size: 1_000_000, max_token_len: 64 },
    ...{ checkpoint_dir: '', save_checkpoint_interval: 0, starting_step: 0, num_steps: 10 },
  });
  const registered = await send('/register-env', {
    ...{ max_token_length: 64, desired_name: 'e', weight: 1, group_size: 4 },
  });
  const envId = Number(registered['env_id'] ?? 0);
  let number = 0;
  const block = async (): Promise<number> => {
    const before = process.cpuUsage();
    for (let place = 0; place < BLOCK; place += 1) await send('/scored_data', writeNumberedGroup((number += 1), envId));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / BLOCK;
  };
  await block();
  const spent: Record<'with' | 'without', number[]> = { with: [], without: [] };
  for (let round = 0; round < (context.full ? FULL_ROUNDS : ROUNDS); round += 1) {
    for (const kind of round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
      isOn = kind === 'with';
      spent[kind].push(await block());
    }
  }
  return { with: median(spent.with), without: median(spent.without) };
}

/** CPU in µs that the log takes for a push: told, counted, and now and then written and signed. */
async function measureLog(context: ScenarioContext): Promise<number> {
  const home = await context.scratch();
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  context.defer(() => store.close());
  const audit = await openAuditLog({
    store,
    home,
    by: 'cost',
    log: createLog({ name: 'cost', level: 'silent' }),
    countMs: 50,
  });
  const route: Parameters<typeof audit.observe>[0]['route'] = {
    method: 'POST',
    path: '/scored_data',
    scope: 'env:push',
    summary: '',
  };
  const principal = { tenantId: 'local', scopes: ['env:push'], run: null, tokenId: 'token' } as const;
  const before = process.cpuUsage();
  for (let calls = 0; calls < CALLS; calls += 1) {
    audit.observe({
      method: 'POST',
      route,
      principal,
      address: '127.0.0.1',
      things: { run: `run-${calls % 5}` },
      status: 200,
    });
    // The timer that writes what was counted gets its turns: here twenty times a second instead of once a minute.
    if (calls % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await audit.close();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
