import { describe, expect, it } from 'vitest';
import type { EventsTable } from '../schema/history.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { toCanonicalJson } from './canonical-json.ts';
import { FIRST_PREVIOUS_HASH } from './chain-event.ts';
import { createEventRow } from './create-event-row.ts';
import { readEventPage } from './read-event-page.ts';
import { verifyChain } from './verify-chain.ts';

function createChain(length: number): EventsTable[] {
  const rows: EventsTable[] = [];
  for (let cursor = 1; cursor <= length; cursor += 1) {
    const event = { tenantId: 't', runId: 'r', cursor, kind: 'group-accept', at: 1_000 + cursor };
    const data = { z: cursor, a: ['ü', null, 0.1], nested: { b: false, a: '' } };
    rows.push(createEventRow(rows.at(-1)?.hash ?? FIRST_PREVIOUS_HASH, { ...event, data }));
  }
  return rows;
}

describe('canonical JSON', () => {
  it('is one text for one value', () => {
    expect(toCanonicalJson({ b: [1, { d: 0, c: -0.5 }], a: 'é"', '': null })).toBe(
      '{"":null,"a":"é\\"","b":[1,{"c":-0.5,"d":0}]}',
    );
    expect(toCanonicalJson({ b: 1, a: 2 })).toBe(toCanonicalJson({ a: 2, b: 1 }));
  });

  it('refuses what JSON cannot say', () => {
    expect(() => toCanonicalJson(Number.NaN)).toThrow(TypeError);
    expect(() => toCanonicalJson({ a: undefined as never })).toThrow(TypeError);
  });
});

describe('the event chain', () => {
  it('has the same hashes for ever', () => {
    expect(createChain(1)[0]?.hash).toBe('fe4d4f808db60cbaf22a2690a1b224a7afc254e96c0587f49adcc3ae06373432');
  });

  it('verifies as a whole and in pages', () => {
    const rows = createChain(10);
    const whole = verifyChain(rows);
    const first = verifyChain(rows.slice(0, 4));
    expect(first.ok && verifyChain(rows.slice(4), first.last)).toEqual(whole);
    expect(whole).toEqual({ ok: true, last: { cursor: 10, hash: rows[9]?.hash } });
  });

  it('names the first row in which any character of any field was changed', () => {
    const rows = createChain(5);
    let edits = 0;
    for (const [index, row] of rows.entries()) {
      for (const [field, value] of Object.entries(row) as [keyof EventsTable, string | number][]) {
        for (let place = 0; place < String(value).length; place += 1) {
          const edited = { ...row, [field]: typeof value === 'number' ? value + 1 : flip(value, place) };
          const verdict = verifyChain(rows.with(index, edited));
          expect(verdict, `${field} of ${row.cursor}, character ${place}`).toMatchObject({
            ok: false,
            cursor: row.cursor,
          });
          edits += 1;
        }
      }
    }
    expect(edits).toBeGreaterThan(900);
  });

  it('names the row after one that was rewritten together with its hash', () => {
    const [first, second, third] = createChain(3) as [EventsTable, EventsTable, EventsTable];
    const event = { tenantId: 't', runId: 'r', cursor: 2, kind: second.kind, at: second.at, data: { z: 'forged' } };
    const forged = createEventRow(first.hash, event);
    expect(verifyChain([first, forged])).toMatchObject({ ok: true });
    expect(verifyChain([first, forged, third])).toMatchObject({ ok: false, cursor: 3 });
  });

  it('sees blanks in the data, rows that are missing and rows that changed places', () => {
    const rows = createChain(4);
    const [first, second, third, fourth] = rows as [EventsTable, EventsTable, EventsTable, EventsTable];
    expect(verifyChain([{ ...first, data: ` ${first.data}` }])).toMatchObject({ ok: false, cursor: 1 });
    expect(verifyChain([first, third, fourth])).toMatchObject({ ok: false, cursor: 2 });
    expect(verifyChain([first, third, second])).toMatchObject({ ok: false, cursor: 2 });
    expect(verifyChain([second])).toMatchObject({ ok: false, cursor: 1 });
  });
});

describeOnEachDialect('stored events', (createTarget) => {
  it('are read in pages after a cursor, for one run of one tenant, and still verify', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const rows = createChain(7);
    const other = createEventRow('', { tenantId: 'u', runId: 'r', cursor: 1, kind: 'x', at: 1, data: {} });
    await store.commit({
      statements: [
        {
          query: store.db
            .insertInto('events')
            .values([...rows, other])
            .compile(),
          expectRows: 8,
        },
      ],
    });
    const scope = { store, tenantId: 't', runId: 'r' };
    const first = await readEventPage({ ...scope, limit: 3 });
    const rest = await readEventPage({ ...scope, afterCursor: 3 });
    expect(first.map(({ cursor }) => cursor)).toEqual([1, 2, 3]);
    expect(rest.map(({ cursor }) => cursor)).toEqual([4, 5, 6, 7]);
    expect(verifyChain([...first, ...rest])).toMatchObject({ ok: true, last: { cursor: 7 } });
  });
});

function flip(text: string, place: number): string {
  const code = text.codePointAt(place) ?? 0;
  return text.slice(0, place) + String.fromCodePoint(code ^ 1) + text.slice(place + 1);
}
