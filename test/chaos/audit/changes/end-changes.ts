import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { openAuditKey } from '@lachesis/store';

import { copyHome } from '../subject/make-log.ts';
import type { Change, ChangeWorld, Row } from './change.ts';
import { chain, signAs, strangersKey } from './forge.ts';

const head = (name: string, set: string): Change => ({
  name,
  apply: ({ database }) => database.exec(`update audit_heads set ${set}`),
});

/** The newest lines gone, and the end moved to what is left as far as that goes without the key. */
function cut(
  name: string,
  count: (world: ChangeWorld) => number,
  end: (world: ChangeWorld, last: Row) => void,
): Change {
  return {
    name,
    apply(world) {
      const rows = world.rows();
      const kept = rows.slice(0, rows.length - count(world));
      world.database.prepare('delete from audit_lines where cursor > ?').run(kept.at(-1)!.cursor);
      end(world, kept.at(-1)!);
    },
  };
}

const moveEnd = ({ database }: ChangeWorld, { cursor, hash, at }: Row): void => {
  database.prepare('update audit_heads set cursor = ?, hash = ?, at = ?').run(cursor, hash, at);
};

/** Changes to both ends of the log, to all of it, and to what stands beside it. */
export const endChanges: readonly Change[] = [
  cut(
    'the newest line gone',
    () => 1,
    () => undefined,
  ),
  cut(
    'the newest lines gone',
    ({ random }) => 2 + random(5),
    () => undefined,
  ),
  cut('the newest lines gone, the end moved', ({ random }) => 1 + random(5), moveEnd),
  cut(
    'the newest lines gone, the end moved and signed as a line',
    () => 2,
    (world, last) => {
      moveEnd(world, last);
      world.database.prepare('update audit_heads set signature = ?, key_id = ?').run(last.signature, last.key_id);
    },
  ),
  head('the end taken away', "signature = ''"),
  head('the end further than the lines', 'cursor = cursor + 1'),
  head('begin and end with each other’s signature', 'signature = start_signature, start_signature = signature'),
  head('the begin moved', 'start_cursor = 3'),
  head('another log', "log_id = 'another'"),
  { name: 'where it begins and ends gone', apply: ({ database }) => database.exec('delete from audit_heads') },
  { name: 'all lines gone', apply: ({ database }) => database.exec('delete from audit_lines') },
  {
    name: 'the whole log gone',
    apply: ({ database }) => database.exec('delete from audit_lines; delete from audit_heads'),
  },
  {
    name: 'the oldest lines gone, the begin moved to fit',
    apply({ database, rows }) {
      const { cursor, hash } = rows()[4]!;
      database.prepare('delete from audit_lines where cursor <= ?').run(cursor);
      database.prepare('update audit_heads set start_cursor = ?, start_hash = ?').run(cursor, hash);
    },
  },
  {
    name: 'a line put behind the end, chained, with the end moved',
    apply(world) {
      const last = world.rows().at(-1)!;
      const [forged] = chain([{ ...last, cursor: last.cursor + 1, action: 'token create' }], last.hash, world);
      world.put(forged!);
      moveEnd(world, forged!);
    },
  },
  {
    name: 'the whole log written anew with another key',
    apply(world) {
      const key = strangersKey();
      const rows = chain(
        world
          .rows()
          .slice(2)
          .map((row, place) => ({ ...row, cursor: place + 1 })),
        '',
        world,
      );
      world.database.exec('delete from audit_lines');
      for (const row of rows) world.put({ ...row, signature: signAs(key, `lachesis-audit-line ${row.hash}`) });
      moveEnd(world, rows.at(-1)!);
    },
  },
  {
    name: 'the database put back to an earlier copy',
    async apply({ home, earlier, database }) {
      database.close();
      for (const name of ['lachesis.db', 'lachesis.db-wal', 'lachesis.db-shm'])
        await rm(join(home, name), { force: true });
      await cp(join(earlier, 'lachesis.db'), join(home, 'lachesis.db'));
    },
  },
  {
    name: 'an earlier copy with what the home remembers, under another key',
    async apply({ home, earlier, database }) {
      database.close();
      await copyHome(earlier, home);
      await rm(join(home, 'audit', 'key.pem'));
      await openAuditKey(home);
    },
  },
  {
    name: 'another line remembered by the home',
    async apply({ home }) {
      const path = join(home, 'audit', 'anchor.json');
      await writeFile(path, (await readFile(path, 'utf8')).replace(/"hash":"./, '"hash":"x'));
    },
  },
  {
    name: 'what the home remembers damaged',
    apply: ({ home }) => writeFile(join(home, 'audit', 'anchor.json'), '{'),
  },
];
