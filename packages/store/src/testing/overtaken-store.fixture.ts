import type { Store } from '../database/store.ts';

/** A store before each of whose commits something else is done to the end, as by a process that is at the same work. */
export const createOvertakenStore = (store: Store, before: () => Promise<unknown>): Store => ({
  ...{ db: store.db, dialect: store.dialect, now: () => store.now(), close: () => store.close() },
  async commit(unit, options) {
    await before();
    return await store.commit(unit, options);
  },
});
