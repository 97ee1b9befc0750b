import type { Change, ChangeWorld, Row } from './change.ts';
import { chain } from './forge.ts';

const pick = ({ random, rows }: ChangeWorld): Row => rows()[random(rows().length)]!;

/** Another value in one column of one line. */
function column(name: keyof Row, other: (row: Row, world: ChangeWorld) => string | number): Change {
  return {
    name: `another ${name}`,
    apply(world) {
      const row = pick(world);
      world.database.prepare(`update audit_lines set ${name} = ? where cursor = ?`).run(other(row, world), row.cursor);
    },
  };
}

/** Another word in the data of a line that has it. */
function datum(what: string, pattern: RegExp, other: string): Change {
  return {
    name: `another ${what}`,
    apply(world) {
      const fitting = world.rows().filter(({ data }) => pattern.test(data));
      const row = fitting[world.random(fitting.length)]!;
      const data = row.data.replace(pattern, other);
      world.database.prepare('update audit_lines set data = ? where cursor = ?').run(data, row.cursor);
    },
  };
}

const remove = (name: string, which: (rows: Row[], world: ChangeWorld) => Row[]): Change => ({
  name,
  apply(world) {
    for (const { cursor } of which(world.rows(), world)) {
      world.database.prepare('delete from audit_lines where cursor = ?').run(cursor);
    }
  },
});

const flip = (text: string, place: number): string => {
  const digit = Number.parseInt(text[place] ?? '0', 16) ^ 1;
  return text.slice(0, place) + digit.toString(16) + text.slice(place + 1);
};

/** Changes to lines in the middle of the log. */
export const rowChanges: readonly Change[] = [
  column('tenant_id', () => 'mallory'),
  column('action', () => 'GET /health'),
  column('at', ({ at }) => at - 1),
  column('previous_hash', ({ previous_hash: hash }, { random }) => flip(hash.padEnd(64, '0'), random(64))),
  column('hash', ({ hash }, { random }) => flip(hash, random(64))),
  column('key_id', ({ key_id: id }, { random }) => flip(id, random(16))),
  column('signature', ({ signature }, { random }) => flip(signature, random(128))),
  column('signature', ({ signature }) => signature.toUpperCase().replaceAll(/^\d+$/g, 'A')),
  column('signature', () => ''),
  column('cursor', ({ cursor }) => cursor + 100_000),
  column('data', ({ data }) => ` ${data}`),
  column('data', ({ data }) => data.replace('{', '{"also":1,')),
  column('data', () => '{'),
  datum('token', /"tokenId":"[^"]+"/, '"tokenId":null'),
  datum('address', /"from":"[^"]+"/, '"from":"10.0.0.1"'),
  datum('result', /"result":"(forbidden|unauthorized)"/, '"result":"ok"'),
  datum('status', /"status":40\d/, '"status":200'),
  datum('count', /"count":\d{2,}/, '"count":1'),
  datum('thing', /"id":"[^"]+"/, '"id":"another"'),
  datum('time of the last of many', /"until":\d+/, '"until":1'),
  remove('a line gone', (rows, { random }) => [rows[1 + random(rows.length - 2)]!]),
  remove('the first line gone', ([first]) => [first!]),
  remove('every refusal gone', (rows) => rows.filter(({ data }) => !data.includes('"result":"ok"'))),
  remove('one tenant’s lines gone', (rows) => rows.filter(({ tenant_id: tenant }) => tenant === 'bob')),
  remove('two lines gone', (rows, { random }) =>
    [random(rows.length - 2), rows.length - 2].map((place) => rows[place]!),
  ),
  {
    name: 'two lines in each other’s place',
    apply(world) {
      const [one, other] = neighbours(world);
      for (const { cursor } of [one, other])
        world.database.prepare('delete from audit_lines where cursor = ?').run(cursor);
      world.put({ ...one, cursor: other.cursor });
      world.put({ ...other, cursor: one.cursor });
    },
  },
  {
    name: 'two lines in each other’s place, with the numbers left',
    apply(world) {
      const [one, other] = neighbours(world);
      const set = world.database.prepare('update audit_lines set action = ?, data = ?, at = ? where cursor = ?');
      set.run(other.action, other.data, other.at, one.cursor);
      set.run(one.action, one.data, one.at - 1, other.cursor);
    },
  },
  {
    name: 'signatures of two lines exchanged',
    apply(world) {
      const [one, other] = neighbours(world);
      const set = world.database.prepare('update audit_lines set signature = ? where cursor = ?');
      set.run(other.signature, one.cursor);
      set.run(one.signature, other.cursor);
    },
  },
  {
    name: 'a line put in, all behind it one further',
    apply(world) {
      const rows = world.rows();
      const place = 1 + world.random(rows.length - 2);
      world.database.exec('delete from audit_lines');
      for (const row of rows.slice(0, place)) world.put(row);
      world.put({ ...rows[place]!, data: rows[place]!.data.replace(/"from":"[^"]+"/, '"from":"10.9.9.9"') });
      for (const row of rows.slice(place)) world.put({ ...row, cursor: row.cursor + 1 });
    },
  },
  {
    name: 'a line written anew with its hash',
    apply(world) {
      const rows = world.rows();
      const place = world.random(rows.length);
      const [forged] = chain([{ ...rows[place]!, action: 'forged' }], rows[place]!.previous_hash, world);
      world.database.prepare('delete from audit_lines where cursor = ?').run(forged!.cursor);
      world.put(forged!);
    },
  },
  {
    name: 'a line and all behind it written anew, with hashes and end',
    apply(world) {
      const rows = world.rows();
      const place = world.random(rows.length - 1);
      const tail = chain(
        rows.slice(place).map((row, index) => (index === 0 ? { ...row, action: 'forged' } : row)),
        rows[place]!.previous_hash,
        world,
      );
      world.database.prepare('delete from audit_lines where cursor >= ?').run(rows[place]!.cursor);
      for (const row of tail) world.put(row);
      world.database.prepare('update audit_heads set hash = ?').run(tail.at(-1)!.hash);
    },
  },
];

function neighbours(world: ChangeWorld): [Row, Row] {
  const rows = world.rows();
  const place = world.random(rows.length - 1);
  return [rows[place]!, rows[place + 1]!];
}
