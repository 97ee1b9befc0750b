import { createHash } from 'node:crypto';
import pg from 'pg';

import { packNumberedGroup, writeNumberedGroup } from '../../trajectory-api/load/numbered-group.ts';
import { PRODUCERS } from '../../trajectory-api/load/load-control.ts';

/** Groups that came without a key and are in the rows more than once, a line each: for whoever looks for the cause. */
export async function findTwins(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ twins: unknown }>(
      `select json_agg(json_build_array(group_id, run_id, position, received_at) order by position) as twins
       from groups where idempotency_key is null group by body_digest, run_id having count(*) > 1 limit 5`,
    );
    return rows.map(({ twins }) => JSON.stringify(twins));
  } finally {
    await client.end();
  }
}

/** What the rows say of groups that no client saw again, a line each: for whoever looks for the cause. */
export async function findFates(databaseUrl: string, numbers: readonly number[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const lines: string[] = [];
    for (const number of numbers) {
      const bodies = [
        packNumberedGroup(number),
        ...Array.from({ length: PRODUCERS + 1 }, (_, env) => writeNumberedGroup(number, env)),
      ];
      const digests = bodies.map((body) => createHash('sha256').update(body).digest('hex'));
      const { rows } = await client.query<Record<string, unknown>>(
        `select g.group_id, g.door, g.position, f.fate, f.reason, f.batch_id, b.fate as batch_fate, b.epoch, b.attempts, b.group_ids, b.formed_at, b.ended_at
         from groups g left join group_fates f on f.group_id = g.group_id left join batches b on b.batch_id = f.batch_id
         where g.payload_digest = any($1) or g.body_digest = any($1)`,
        [digests],
      );
      lines.push(`${number}: ${rows.length === 0 ? 'no row' : rows.map((row) => JSON.stringify(row)).join('; ')}`);
    }
    return lines;
  } finally {
    await client.end();
  }
}
