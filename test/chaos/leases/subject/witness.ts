import type { Store } from '@lachesis/store';
import type { WriteStatement } from '../../../../packages/store/src/database/store.ts';
import type { Held } from './users.ts';

type Query = WriteStatement['query'];

/** A statement as text: tables of the witness are not the store's. */
const asQuery = ({ db }: Store, text: string): Query => ({
  ...db.selectFrom('leases').select('epoch').compile(),
  ...{ sql: text, parameters: [] },
});

/** Every write that was kept, with the epoch of who wrote and the epoch that was in force in the same transaction. */
export async function createWitness(store: Store): Promise<void> {
  const id = store.dialect === 'postgres' ? 'bigserial primary key' : 'integer primary key autoincrement';
  await store.db.executeQuery(
    asQuery(
      store,
      `create table lease_witness (id ${id}, who text not null, writer text not null, epoch bigint not null, current bigint not null)`,
    ),
  );
}

/** What a process writes besides: held back too, because a pause in a transaction of SQLite holds up everybody. */
export function hold(store: Store, gate: Gate): Store {
  return {
    dialect: store.dialect,
    db: holdWrites(store, gate),
    commit: (unit, options) => gate.pass(undefined, () => store.commit(unit, options)),
    now: () => store.now(),
    close: () => store.close(),
  };
}

function holdWrites({ db }: Store, gate: Gate): Store['db'] {
  return replaceExecute(db, (query) => {
    const execute = (): Promise<unknown> => db.executeQuery(query);
    return query.sql.startsWith('select') ? execute() : gate.pass(undefined, execute);
  });
}

/** The same queries, with another way to run those that are given as text. */
export function replaceExecute(db: Store['db'], execute: (query: Query) => Promise<unknown>): Store['db'] {
  return new Proxy(db, {
    get(target, name) {
      if (name === 'executeQuery') return execute;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** The writes of one holder in one epoch, each with a line of the witness in the same unit, behind the gate. */
export function witness(store: Store, options: { who: string; writer: string; held: Held; gate: Gate }): Store {
  const { who, writer, held, gate } = options;
  const line = asQuery(
    store,
    `insert into lease_witness (who, writer, epoch, current) values ('${who}', '${writer}', ${held.epoch}, (${held.current}))`,
  );
  return {
    dialect: store.dialect,
    db: holdWrites(store, gate),
    commit: (unit, given) =>
      gate.pass(who, () => store.commit({ statements: [...unit.statements, { query: line }] }, given)),
    now: () => store.now(),
    close: () => store.close(),
  };
}

export interface WitnessedWrites {
  kept: number;
  /** Kept although another epoch was in force. */
  stale: number;
}

export async function readWitness(store: Store): Promise<Map<string, WitnessedWrites>> {
  const query = asQuery(
    store,
    `
    select who, count(*) as kept, sum(case when epoch <> current then 1 else 0 end) as stale
    from lease_witness group by who`,
  );
  const { rows } = await store.db.executeQuery(query);
  const counted = rows as readonly { who: string; kept: number; stale: number }[];
  return new Map(counted.map(({ who, kept, stale }) => [who, { kept, stale }]));
}

/** Holds commits back while the process is to be paused: each pause falls between a decision and its write. */
export interface Gate {
  pass<T>(who: string | undefined, work: () => Promise<T>): Promise<T>;
  /** Resolves when everybody in `whom` waits with a write and none is under way. */
  shut(whom: ReadonlySet<string>): Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let opening: PromiseWithResolvers<void> | undefined;
  let underWay = 0;
  const waiting = new Set<string>();
  return {
    async pass(who, work) {
      if (opening !== undefined) {
        if (who !== undefined) waiting.add(who);
        await opening.promise;
        if (who !== undefined) waiting.delete(who);
      }
      underWay += 1;
      try {
        return await work();
      } finally {
        underWay -= 1;
      }
    },
    async shut(whom) {
      opening ??= Promise.withResolvers();
      while (underWay > 0 || [...whom].some((who) => !waiting.has(who))) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    open() {
      opening?.resolve();
      opening = undefined;
    },
  };
}
