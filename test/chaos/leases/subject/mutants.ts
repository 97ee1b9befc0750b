import type { Store } from '@lachesis/store';
import type { WriteStatement } from '../../../../packages/store/src/database/store.ts';
import { replaceExecute } from './witness.ts';

/** Faults that a lease could have, put into the statements of this process. */
export type Mutant = 'no-epoch' | 'own-clock';

/** How far the clock of a holder may be wrong. */
const AHEAD_MS = 3_600_000;

const CLOCKS =
  /cast\((?:round\(unixepoch\('subsec'\) \* 1000\)|floor\(extract\(epoch from clock_timestamp\(\)\) \* 1000\)) as (?:integer|bigint)\)/g;

const CHANGES: Readonly<Record<Mutant, (text: string) => string>> = {
  // The holder's name alone: the parameter stays, so that the statement has as many as before.
  'no-epoch': (text) =>
    text.replaceAll(/holder = (\$\d+|\?) and epoch = (\$\d+|\?)/g, 'holder = $1 and epoch >= 0 * $2'),
  'own-clock': (text) => text.replaceAll(CLOCKS, () => String(Date.now() + AHEAD_MS)),
};

/** A store whose statements have the fault. */
export function mutate(store: Store, mutant: Mutant): Store {
  const change = (query: WriteStatement['query']): WriteStatement['query'] => ({
    ...query,
    sql: CHANGES[mutant](query.sql),
  });
  return {
    dialect: store.dialect,
    db: replaceExecute(store.db, (query) => store.db.executeQuery(change(query))),
    commit: (unit, options) =>
      store.commit({ statements: unit.statements.map((one) => ({ ...one, query: change(one.query) })) }, options),
    now: () => store.now(),
    close: () => store.close(),
  };
}
