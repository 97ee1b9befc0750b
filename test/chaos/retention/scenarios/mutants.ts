import { openHome, retain, writeKeepPolicy, type Store } from '@lachesis/store';
import { join } from 'node:path';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { fillHome } from '../fill-home.ts';
import { judgeHome } from '../judge-home.ts';

const SIZE = { groups: 2_000, waitingEvery: 20, events: 3_000, records: 50 };
const DAY_MS = 86_400_000;

type Commit = Store['commit'];

type Change = (commit: Commit, store: Store) => { commit: Commit; before?: () => Promise<void> };

/** Each a collector with one care left out. */
const MUTANTS: Record<string, Change> = {
  'rows by their age alone': (commit, store) => ({
    commit,
    async before() {
      const old = (await store.now()) - 30 * DAY_MS;
      await store.db.deleteFrom('groups').where('received_at', '<', old).execute();
    },
  }),
  'references dropped twice': (commit) => ({
    commit: (unit, options) =>
      commit(
        {
          statements: unit.statements.flatMap((statement) =>
            statement.query.sql.startsWith('update "blob_references"')
              ? [statement, { query: statement.query }]
              : [statement],
          ),
        },
        options,
      ),
  }),
  'events without where they begin': (commit) => ({
    commit: (unit, options) =>
      commit(
        { statements: unit.statements.filter(({ query }) => !query.sql.startsWith('insert into "settings"')) },
        options,
      ),
  }),
};

export const mutantScenario: Scenario = {
  name: 'mutants',
  title: 'collectors with one care left out are found out by the same judge',
  async run(context) {
    const real = await collect(context, (commit) => ({ commit }));
    context.report({
      name: 'the collector itself',
      figure: `${real.length} findings${real[0] === undefined ? '' : `: ${real[0]}`}`,
      bar: '0 findings',
      ok: real.length === 0,
    });
    for (const [name, change] of Object.entries(MUTANTS)) {
      const findings = await collect(context, change);
      context.report({
        name: `mutant ${name}`,
        figure: findings[0] === undefined ? 'not caught' : `caught: ${findings[0].slice(0, 120)}`,
        bar: 'caught',
        ok: findings.length > 0,
      });
    }
  },
};

/** Retention over a home of its own with a changed part; what the judge finds. */
async function collect(context: ScenarioContext, change: Change): Promise<string[]> {
  const path = join(await context.scratch(), 'home');
  await using home = await openHome({ home: path });
  const filled = await fillHome(home, SIZE);
  const { store } = home;
  await writeKeepPolicy({
    store,
    tenantId: 'local',
    policy: { history: 30, keys: 30, events: 30, records: 30 },
  });
  const changed = change((unit, options) => store.commit(unit, options), store);
  const { db, dialect } = store;
  const mutant: Store = { db, dialect, commit: changed.commit, now: () => store.now(), close: () => store.close() };
  await changed.before?.();
  try {
    await retain({ store: mutant, blobs: home.blobs });
  } catch (error) {
    return [`it threw ${String(error)}`];
  }
  return await judgeHome(home, filled, path);
}
