import { startHaproxy, whyNoHaproxy, type Haproxy } from '../../../peers/haproxy/start-haproxy.ts';
import { startPgbouncer, whyNoPgbouncer, type Pgbouncer } from '../../../peers/pgbouncer/start-pgbouncer.ts';
import { startPrimaryWithStandby, type PostgresPair } from '../../../peers/postgres/start-primary-with-standby.ts';
import { startVersitygw, whyNoVersitygw, type Versitygw } from '../../../peers/versitygw/start-versitygw.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { startReplicas, type ReplicaSubject } from './start-replicas.ts';

/** Three servers with everything a platform puts around them. */
export interface Fleet {
  readonly haproxy: Haproxy;
  readonly pgbouncer: Pgbouncer;
  readonly postgres: PostgresPair;
  readonly s3: Versitygw;
  readonly replicas: ReplicaSubject;
}

const BUCKET = 'fleet';

/** The first part that is missing here, as a sentence; undefined when all are there. */
export const whyNoFleet = (): string | undefined => whyNoHaproxy() ?? whyNoPgbouncer() ?? whyNoVersitygw();

/** HAProxy → three APIs, each with a home of its own → PgBouncer → PostgreSQL with a standby; payloads in a bucket. */
export async function startFleet(context: ScenarioContext): Promise<Fleet> {
  const postgres = await startPrimaryWithStandby();
  context.defer(async () => postgres[Symbol.asyncDispose]());
  const pgbouncer = await startPgbouncer({ folder: await context.scratch(), databaseUrl: postgres.url() });
  context.defer(async () => pgbouncer[Symbol.asyncDispose]());
  const s3 = await startVersitygw(await context.scratch());
  context.defer(async () => s3[Symbol.asyncDispose]());
  await s3.makeBucket(BUCKET);
  const replicas = await startReplicas({
    ...{ home: await context.scratch(), ownHomes: true, databaseUrl: pgbouncer.url },
    settings: { LACHESIS_BLOBS: `s3://${BUCKET}/library`, ...s3.env },
  });
  context.defer(() => replicas.end());
  const haproxy = await startHaproxy({ folder: await context.scratch(), servers: replicas.ports });
  context.defer(async () => haproxy[Symbol.asyncDispose]());
  return { haproxy, pgbouncer, postgres, s3, replicas };
}
