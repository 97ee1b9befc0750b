import { createBackup, openHome, restoreBackup, verifyLibrary } from '@lachesis/store';
import { decodeGroup } from '@lachesis/protocol/codec';
import { createTrajectoryClient } from '@lachesis/sdk';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '../../../kit/create-test-database.ts';
import { findQuantile } from '../../../kit/quantiles.ts';
import { startServer } from '../../../peers/atropos/start-server.ts';
import { findPostgresUrl } from '../../../peers/postgres/find-postgres-url.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { packNumberedGroup } from '../../trajectory-api/load/numbered-group.ts';
import { fillHome } from '../fill-home.ts';
import { judgeHome } from '../judge-home.ts';
import { runGc, startGc } from '../run-gc.ts';

const SHORT = { groups: 20_000, waitingEvery: 100, events: 20_000, records: 2_000 };
const FULL = { groups: 1_000_000, waitingEvery: 100, events: 10_000_000, records: 1_000_000 };
/** Before and after, each: what the machine does by itself. */
const QUIET_MS = 6_000;
const PUSH_EVERY_MS = 20;
const SLOWER = 1.5;
const DAYS = ['--keep-history', '30', '--keep-keys', '30', '--keep-events', '30', '--keep-records', '30'];

/** `lachesis gc` on what a long run left behind, while another run is pushed to. */
export const liveScenario: Scenario = {
  name: 'live',
  title: 'rows and payloads of forty days ago go under pushes, and nothing that waits does',
  async run(context) {
    const size = context.full ? FULL : SHORT;
    const database = await createTestDatabase({ serverUrl: await findPostgresUrl(context), prefix: 'retention' });
    context.defer(() => database.drop());
    const folder = await context.scratch();
    const place = { home: join(folder, 'home'), databaseUrl: database.url };
    const home = await openHome(place);
    context.defer(() => home.close());
    const filled = await fillHome(home, size);
    context.log(`filled: ${size.groups} groups, ${size.events} events, ${size.records} records`);
    // Nobody leases what is pushed, and a million groups take the collector longer than the queue has room by default.
    await using server = await startServer({ ...place, args: ['--max-queued-groups', '1000000'] });
    await runGc(place, ...DAYS);

    const client = createTrajectoryClient({ url: server.url });
    const took: { phase: string; ms: number }[] = [];
    let phase = 'before';
    let number = 0;
    const pushing = new AbortController();
    const pushed = (async () => {
      while (!pushing.signal.aborted) {
        const startedAt = performance.now();
        await client.pushGroup(decodeGroup(packNumberedGroup(number)), { idempotencyKey: `live-${number}` });
        number += 1;
        took.push({ phase, ms: performance.now() - startedAt });
        await sleep(PUSH_EVERY_MS);
      }
    })();
    await sleep(QUIET_MS);
    phase = 'during';
    const gc = await startGc(place, '--json');
    const startedAt = performance.now();
    const { code } = await gc.exited;
    const seconds = (performance.now() - startedAt) / 1000;
    phase = 'after';
    await sleep(QUIET_MS);
    pushing.abort();
    await pushed;

    const findings = await judgeHome(home, filled, place.home);
    const { produced } = await client.ledger();
    if (produced !== number) findings.push(`${produced} of ${number} pushed groups are known`);
    if (code !== 0) findings.push(`gc ended with ${code}: ${gc.logs()}`);
    const settled = size.groups - filled.waiting.length;
    context.report({
      name: 'what goes',
      figure: `${settled} groups, ${size.events} events, ${size.records} records in ${seconds.toFixed(1)} s beside ${number} pushes; ${findings.length} findings${findings[0] === undefined ? '' : `: ${findings[0]}`}`,
      bar: `${filled.waiting.length} that wait stay, 0 findings`,
      ok: findings.length === 0,
    });
    const p99 = (name: string): number =>
      findQuantile(
        took.filter((push) => push.phase === name).map(({ ms }) => ms),
        0.99,
      );
    const quiet = Math.max(p99('before'), p99('after'));
    context.report({
      name: 'push p99 while it goes',
      figure: `${(p99('during') / quiet).toFixed(2)} × (${p99('during').toFixed(0)} ms beside ${p99('before').toFixed(0)} before and ${p99('after').toFixed(0)} after)`,
      bar: `≤ ${SLOWER} ×`,
      ok: p99('during') <= SLOWER * quiet,
      onlyByClock: true,
    });

    const backup = join(folder, 'backup');
    await createBackup({ ...place, folder: backup });
    const target = { home: join(folder, 'restored'), databaseUrl: undefined };
    await restoreBackup({ ...target, folder: backup });
    await using restored = await openHome(target);
    const { faults, events, payloads } = await verifyLibrary({ ...restored, home: target.home });
    context.report({
      name: 'what is left, restored into another database',
      figure: `${payloads} payloads, ${events} events, ${faults.length} faults`,
      bar: 'some of both, 0 faults',
      ok: faults.length === 0 && events > 0 && payloads > 0,
    });
  },
};
