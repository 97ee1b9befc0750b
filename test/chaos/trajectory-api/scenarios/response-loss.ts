import { randomUUID } from 'node:crypto';

import { findQuietPort } from '../../../kit/find-quiet-port.ts';
import { startFaultProxy } from '../../../kit/start-fault-proxy.ts';
import type { FaultProxy, ReplyFate } from '../../../kit/start-fault-proxy.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { countGroupRows } from '../judge/count-rows.ts';
import type { RowSource } from '../judge/count-rows.ts';
import { WireClient } from '../load/wire-client.ts';
import { History } from '../load/history.ts';
import { PRODUCERS } from '../load/load-control.ts';
import { createPush, pushNativeGroup } from '../load/native-clients.ts';
import { pushPlainGroup } from '../load/plain-clients.ts';
import { startSubject } from '../subject/start-subject.ts';
import { openPostgres } from './open-postgres.ts';

const LOSS = 0.1;
/** Pushes through each API: enough for some sixty lost replies in the short form. */
const PUTS = { short: 600, full: 5_000 } as const;
const ALTERED_REPLAYS = 200;
/** An environment of the Atropos wire waits before it tries again; by then the server has seen the broken connection. */
const PLAIN_RETRY_MS = 600;

/** Replies get lost after the work was done; clients send again what they sent; it must not be done twice. */
export const responseLossScenario: Scenario = {
  name: 'response-loss',
  title: 'one reply in ten is lost after the group was stored; every retry finds it stored',
  async run(context) {
    const postgres = await openPostgres(context);
    await loseReplies(context, 'sqlite', { home: await context.scratch() });
    await loseReplies(context, 'postgres', { home: await context.scratch(), databaseUrl: postgres.url });
  },
};

async function loseReplies(context: ScenarioContext, database: string, source: RowSource): Promise<void> {
  const subject = await startSubject({ port: await findQuietPort(), ...source });
  context.defer(() => subject.end());
  const puts = context.full ? PUTS.full : PUTS.short;
  await showNative(context, { database, source, port: subject.port, puts });
  await showPlain(context, { database, source, port: subject.port, puts: puts / 2 });
  await subject.end();
}

interface LossOptions {
  readonly database: string;
  readonly source: RowSource;
  readonly port: number;
  readonly puts: number;
}

async function showNative(context: ScenarioContext, { database, source, port, puts }: LossOptions): Promise<void> {
  const proxy = await openProxy(context, port, 'drop-reply');
  const client = new WireClient({ port: proxy.port, runName: 'loss', retryMs: 5 });
  const history = new History();
  const keys: string[] = [];
  await inParallel(puts, async () => {
    const key = randomUUID();
    keys.push(key);
    await pushNativeGroup(client, history, key);
  });
  const rows = await countGroupRows(source, 'native');
  context.report({
    name: `${database} lost replies, native`,
    figure: `${puts} puts, ${proxy.dropped} replies lost, ${rows} rows, ${history.acknowledged} acknowledged`,
    bar: `rows = ${puts} distinct keys, ≥ ${puts / 20} lost`,
    ok: rows === puts && history.acknowledged === puts && proxy.dropped >= puts / 20,
  });

  let refused = 0;
  await inParallel(ALTERED_REPLAYS, async (index) => {
    const reply = await client.insist(createPush(1_000_000 + index, keys[index] ?? ''));
    if (reply?.status === 409) refused += 1;
  });
  const rowsAfter = await countGroupRows(source, 'native');
  context.report({
    name: `${database} used key, other body`,
    figure: `${refused} of ${ALTERED_REPLAYS} answered 409, ${rowsAfter - rows} stored`,
    bar: 'all 409, 0 stored',
    ok: refused === ALTERED_REPLAYS && rowsAfter === rows,
  });
  client.close();
}

async function showPlain(context: ScenarioContext, { database, source, port, puts }: LossOptions): Promise<void> {
  const proxy = await openProxy(context, port, 'cut-after-request');
  const client = new WireClient({ port: proxy.port, runName: 'loss', retryMs: PLAIN_RETRY_MS });
  const history = new History();
  await inParallel(puts, (index) => pushPlainGroup(client, history, index % PRODUCERS));
  const rows = await countGroupRows(source, 'atropos');
  context.report({
    name: `${database} lost replies, plain`,
    figure: `${puts} posts, ${proxy.dropped} connections cut before the reply, ${rows} rows, ${history.acknowledged} acknowledged`,
    bar: `rows = ${puts} bodies, ≥ ${puts / 20} cut`,
    ok: rows === puts && history.acknowledged === puts && proxy.dropped >= puts / 20,
  });
  client.close();
}

async function openProxy(context: ScenarioContext, port: number, fault: ReplyFate): Promise<FaultProxy> {
  const proxy = await startFaultProxy({ port, decide: () => (Math.random() < LOSS ? fault : 'pass') });
  context.defer(() => proxy.end());
  return proxy;
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: PRODUCERS }, async () => {
      while (next < count) await work(next++);
    }),
  );
}
