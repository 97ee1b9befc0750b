import { readColumn, type Place } from './open-place.ts';

/** Rows of one statement. */
const ROWS = 100_000;

/**
 * Copies of the one group that waits in the run: `finished` of them were trained, `waiting` of them wait before it. Positions are
 * negative, so that none is one that the run gives out. Servers must not have the run in memory.
 */
export async function fillHistory(
  { databaseUrl }: Place,
  { finished, waiting }: { finished: number; waiting: number },
): Promise<void> {
  const copy = async (table: string, from: number, to: number): Promise<void> => {
    const names = await readColumn(
      databaseUrl,
      `select column_name from information_schema.columns where table_name = '${table}' and table_schema = current_schema()`,
    );
    const changed: Record<string, string> = {
      ...{ group_id: `'filled-' || n`, position: '-n', idempotency_key: 'null', rollout_id: 'null' },
      ...{ body_digest: 'null' },
    };
    const values = names.map((name) => changed[name] ?? name).join(', ');
    for (let start = from; start < to; start += ROWS) {
      const range = `generate_series(${start + 1}, ${Math.min(start + ROWS, to)})`;
      await readColumn(
        databaseUrl,
        `insert into ${table} (${names.join(', ')}) select ${values} from (select * from ${table} where group_id not like 'filled-%' limit 1) one, ${range} n`,
      );
    }
  };
  await copy('groups', 0, finished + waiting);
  await copy('ready_groups', finished, finished + waiting);
  await readColumn(
    databaseUrl,
    `insert into group_fates (tenant_id, group_id, incarnation_id, fate, reason, batch_id, at)
     select tenant_id, group_id, incarnation_id, 'trained', null, null, 1 from groups
     where group_id like 'filled-%' and position >= -${finished}`,
  );
  await readColumn(databaseUrl, 'analyze');
}
