import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';

import { openAuditKey, openStore, readAuditAnchor, verifyAudit } from '@lachesis/store';
import type { AuditVerdict } from '../../../../packages/store/src/audit/verify-audit.ts';
import type { AuditChecks } from '../../../../packages/store/src/audit/verify-audit.ts';

import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import type { Change, ChangeWorld, Row } from '../changes/change.ts';
import { endChanges } from '../changes/end-changes.ts';
import { rowChanges } from '../changes/row-changes.ts';
import { copyHome, FLOOD, makeLog, type MadeLog } from '../subject/make-log.ts';

const CHANGES = [...rowChanges, ...endChanges];
const CLI = fileURLToPath(new URL('../../../../packages/cli/src/main.ts', import.meta.url));
/** Each spawns a command; the others are asked through what the command calls. */
const TYPED = new Set([1, 18, 35]);
/** Each opens a store in a thread of its own. */
const AT_ONCE = 5;

interface Verifier {
  readonly name: string;
  readonly checks: (real: AuditChecks) => AuditChecks;
  readonly hasAnchor: boolean;
}

const WHOLE: Verifier = { name: 'verify', checks: (real) => real, hasAnchor: true };
const MUTANTS: readonly Verifier[] = [
  {
    name: 'without the chain',
    checks: (real) => ({
      ...real,
      chain: (rows) => ({ ok: true, last: [...rows].map(({ cursor, hash }) => ({ cursor, hash })).at(-1)! }),
    }),
    hasAnchor: true,
  },
  { name: 'without signatures', checks: (real) => ({ ...real, isSigned: () => true }), hasAnchor: true },
  { name: 'without what the home remembers', checks: (real) => real, hasAnchor: false },
];

/** The log of a real server, changed in every way of the table by somebody without its key. */
export const changesScenario: Scenario = {
  name: 'changes',
  title: 'verify finds each of 50 changes to the log of a real server; verifiers without a half do not',
  async run(context) {
    const log = await makeLog(context);
    await reportLog(context, log);
    const seeds = context.full ? 5 : 1;
    const missed = new Map<Verifier, string[]>([WHOLE, ...MUTANTS].map((verifier) => [verifier, []]));
    let isTypedRight = true;
    for (let seed = 1; seed <= seeds; seed += 1) {
      for (let first = 0; first < CHANGES.length; first += AT_ONCE) {
        const some = CHANGES.slice(first, first + AT_ONCE);
        const verdicts = await Promise.all(
          some.map(async (change, index) => {
            const home = await context.scratch();
            await changeCopy(log, change, home, seed * 1_000 + first + index);
            if (seed === 1 && TYPED.has(first + index)) isTypedRight &&= await isFoundByCommand(context, change, home);
            return await verify(home, [...missed.keys()]);
          }),
        );
        for (const [index, names] of [...missed.values()].entries()) {
          names.push(...some.filter((_, place) => verdicts[place]?.[index]?.ok === true).map(({ name }) => name));
        }
      }
    }
    const total = CHANGES.length * seeds;
    const unseen = missed.get(WHOLE) ?? [];
    if (unseen.length > 0) context.log(`not found: ${unseen.join('; ')}`);
    context.report({
      name: 'changes found',
      figure: `${total - unseen.length} of ${total}; \`lachesis audit verify\` ended with 1 and a line for ${TYPED.size} of them: ${isTypedRight}`,
      bar: `${total} of ${total}, ≥ 50 kinds`,
      ok: unseen.length === 0 && CHANGES.length >= 50 && isTypedRight,
    });
    for (const mutant of MUTANTS) {
      const escaped = missed.get(mutant) ?? [];
      context.report({
        name: `mutant ${mutant.name}`,
        figure: `misses ${escaped.length} of ${total}, such as "${escaped[0] ?? 'none'}"`,
        bar: '≥ 1',
        ok: escaped.length > 0,
      });
    }
  },
};

/** What the log holds and does not hold, before it is changed. */
async function reportLog(context: ScenarioContext, { home, canaries }: MadeLog): Promise<void> {
  const [verdict] = (await verify(home, [WHOLE])) as [AuditVerdict];
  const database = new DatabaseSync(join(home, 'lachesis.db'));
  const rows = database.prepare('select * from audit_lines order by cursor').all() as unknown as Row[];
  database.close();
  const text = rows.map((row) => JSON.stringify(row)).join('\n');
  const leaked = canaries.filter((canary) => text.includes(canary));
  const refused = rows.filter(({ data }) => data.includes('"result":"unauthorized"'));
  const kinds = new Set(rows.map(({ action, data }) => `${action} ${/"result":"([^"]+)"/.exec(data)?.[1]}`));
  context.report({
    name: 'the log as it was written',
    figure: `${verdict.ok ? 'verifies' : `line ${verdict.cursor}: ${verdict.reason}`}, ${rows.length} lines of ${kinds.size} kinds; ${2 * FLOOD + 2} calls with a wrong token or none are ${refused.length} lines; ${leaked.length} of ${canaries.length} secrets, texts and names in it`,
    bar: 'verifies, ≥ 30 lines, ≤ 10 lines for the flood, 0 leaks',
    ok: verdict.ok && rows.length >= 30 && refused.length <= 10 && refused.length >= 2 && leaked.length === 0,
  });
}

async function changeCopy(log: MadeLog, change: Change, home: string, seed: number): Promise<void> {
  await copyHome(log.home, home);
  const database = new DatabaseSync(join(home, 'lachesis.db'));
  let state = seed;
  const world: ChangeWorld = {
    ...{ database, home, earlier: log.earlier },
    random(below) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    },
    rows: () => database.prepare('select * from audit_lines order by cursor').all() as unknown as Row[],
    head: () => database.prepare('select * from audit_heads').get() as Record<string, string | number>,
    put: ({ tenant_id, cursor, action, at, data, previous_hash, hash, key_id, signature }) =>
      void database
        .prepare('insert into audit_lines values (?, ?, ?, ?, ?, ?, ?, ?, ?)')
        .run(tenant_id, cursor, action, at, data, previous_hash, hash, key_id, signature),
  };
  try {
    await change.apply(world);
  } finally {
    if (database.isOpen) database.close();
  }
}

/** As the command does it, by each of the verifiers. */
async function verify(home: string, verifiers: readonly Verifier[]): Promise<AuditVerdict[]> {
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  try {
    const anchor = await readAuditAnchor(home);
    const keys = [await openAuditKey(home)];
    const verdicts: AuditVerdict[] = [];
    for (const { checks, hasAnchor } of verifiers) {
      const anchors = hasAnchor && anchor !== undefined ? [anchor] : [];
      verdicts.push(await verifyAudit({ store, keys, anchors, checks }));
    }
    return verdicts;
  } finally {
    await store.close();
  }
}

/** Ends with 1 and names a line. */
async function isFoundByCommand(context: ScenarioContext, change: Change, home: string): Promise<boolean> {
  const env = { ...process.env, DATABASE_URL: undefined };
  const words = ['--conditions=lachesis-source', CLI, 'audit', 'verify', '--home', home];
  return await new Promise((resolve) => {
    execFile(process.execPath, words, { env }, (error, out, err) => {
      context.log(`${change.name}: exit ${error?.code ?? 0}, ${(out + err).trim()}`);
      resolve(error?.code === 1 && /^line \d+: /.test(out));
    });
  });
}
