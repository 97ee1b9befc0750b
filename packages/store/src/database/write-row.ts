import { CompiledQuery } from 'kysely';
import type { StoreDialect } from '../migrations/migration.ts';
import type { Database } from '../schema/database.ts';
import type { WriteStatement } from './store.ts';

const texts = new Map<string, string>();

/** Rows of one statement where there are many: a thousand rows are thirty runs of one prepared statement. */
const ROWS_TOGETHER = 32;

interface InsertOptions<Table extends keyof Database> {
  dialect: StoreDialect;
  table: Table;
  /** SQL after the values, such as `on conflict do nothing`. */
  suffix?: string;
}

/** One row, in a statement whose text is made once. */
export function insertRow<Table extends keyof Database>(
  options: InsertOptions<Table> & { row: Readonly<Partial<Database[Table]>>; expectRows?: number },
): WriteStatement {
  const { row, expectRows } = options;
  const query = CompiledQuery.raw(createInsertText(options, Object.keys(row), 1), Object.values(row));
  return expectRows === undefined ? { query } : { query, expectRows };
}

/** Rows with the same columns in the same order, in statements of two lengths, so that both stay prepared. */
export function insertRows<Table extends keyof Database>(
  options: InsertOptions<Table> & { rows: readonly Readonly<Partial<Database[Table]>>[] },
): WriteStatement[] {
  const { rows } = options;
  const statements: WriteStatement[] = [];
  let start = 0;
  for (; start + ROWS_TOGETHER <= rows.length; start += ROWS_TOGETHER) {
    const some = rows.slice(start, start + ROWS_TOGETHER);
    const text = createInsertText(options, Object.keys(some[0]!), ROWS_TOGETHER);
    statements.push({
      query: CompiledQuery.raw(
        text,
        some.flatMap((row) => Object.values(row)),
      ),
    });
  }
  for (const row of rows.slice(start)) statements.push(insertRow({ ...options, row }));
  return statements;
}

function createInsertText<Table extends keyof Database>(
  { dialect, table, suffix = '' }: InsertOptions<Table>,
  names: readonly string[],
  rows: number,
): string {
  const id = `${dialect} ${table} ${names.join()} ${rows} ${suffix}`;
  const known = texts.get(id);
  if (known !== undefined) return known;
  let place = 0;
  const createPlaces = (): string =>
    `(${names.map(() => (dialect === 'postgres' ? `$${(place += 1)}` : '?')).join(', ')})`;
  const values = Array.from({ length: rows }, createPlaces).join(', ');
  const text = `insert into ${table} (${names.join(', ')}) values ${values} ${suffix}`;
  texts.set(id, text);
  return text;
}

/** SQL with `?` for each parameter, on both engines. */
export function writeSql(options: {
  dialect: StoreDialect;
  text: string;
  parameters: readonly unknown[];
  expectRows?: number;
}): WriteStatement {
  const { dialect, text, parameters, expectRows } = options;
  const id = `${dialect} ${text}`;
  let sql = texts.get(id);
  if (sql === undefined) {
    let place = 0;
    sql = dialect === 'postgres' ? text.replaceAll('?', () => `$${(place += 1)}`) : text;
    texts.set(id, sql);
  }
  const query = CompiledQuery.raw(sql, [...parameters]);
  return expectRows === undefined ? { query } : { query, expectRows };
}
