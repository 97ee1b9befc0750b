import { makeConversation, type DataRecord } from '@lachesis/protocol';
import { homePaths } from '@lachesis/protocol/home';
import { ClientError, createLibraryClient } from '@lachesis/sdk';
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createImportPieces } from '../services/library/import-pieces.ts';
import { createControlBench, makeToken, type ControlBench } from './bench.fixture.ts';
import type { LibraryDeps } from './routes/library-deps.ts';

const makeRow = (index: number, content = `answer ${index}`): DataRecord =>
  makeConversation({
    id: `row/${index}`,
    messages: [
      { role: 'user', content: `question ${index}` },
      { role: 'assistant', content },
    ],
  });

const makeRows = (count: number): DataRecord[] => Array.from({ length: count }, (_, index) => makeRow(index));

interface Sent {
  path: string;
  bytes: number;
  status: number;
}

/** A client of the server, which notes what it sends; `change` is what befalls a body on its way. */
async function connect(
  bench: ControlBench,
  { change = (_path, body) => body }: { change?: (path: string, body: string) => string } = {},
) {
  const url = await bench.control.app.listen({ host: '127.0.0.1', port: 0 });
  const sent: Sent[] = [];
  const library = createLibraryClient({
    ...{ url, retryForMs: 0 },
    fetch: async (address, init) => {
      const path = new URL(address instanceof Request ? address.url : address).pathname;
      const given =
        init?.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : ((init?.body ?? '') as string);
      const body = change(path, given);
      const response = await fetch(address, { ...init, ...(init?.body === undefined ? {} : { body }) });
      sent.push({ path, bytes: body.length, status: response.status });
      return response;
    },
  });
  return { library, sent };
}

const countBlobs = async (bench: ControlBench): Promise<number> =>
  (await readdir(homePaths(bench.home).blobs, { recursive: true, withFileTypes: true })).filter(
    (entry) => entry.isFile() && /^[0-9a-f]{20,}/.test(entry.name),
  ).length;

test('a file of many pieces is the version that one request makes, and no piece stays behind', async () => {
  await using bench = await createControlBench();
  const { library, sent } = await connect(bench);
  const rows = [...makeRows(2_500), makeRow(2_500, 'my key is sesame-4711-open')];
  let pulled = 0;
  let ahead = 0;
  const read = function* (): Generator<DataRecord> {
    for (const row of rows) {
      pulled += 1;
      const kept = sent.filter(({ path }) => path.endsWith('/pieces')).length * 1_000;
      ahead = Math.max(ahead, pulled - kept);
      yield row;
    }
  };
  const made = await library.importDataset('large', { rows: read(), source: 'large.jsonl' });
  expect(made).toMatchObject({ dataset: { name: 'large', version: 1, row_count: 2_501 }, redacted: 1, dropped: [] });
  expect(sent.map(({ path }) => path.split('/').slice(4).join('/'))).toEqual([
    ...['import/pieces', 'import/pieces', 'import/pieces', 'import/pieces/make'],
  ]);
  // No further ahead of what the server has than one piece, and the row that did not fit.
  expect(ahead).toBeLessThanOrEqual(1_001);

  await using other = await createControlBench();
  const body = { rows, source: 'large.jsonl' };
  const { json } = await other.call('POST', '/v1/datasets/large/import', { body });
  expect((json as typeof made).dataset.content_digest).toBe(made.dataset.content_digest);
  // A home that never saw a piece has the same chunks.
  expect(await countBlobs(bench)).toBe(await countBlobs(other));
});

test('a row that is refused is named by its place in the file, and nothing is imported', async () => {
  await using bench = await createControlBench();
  const { library, sent } = await connect(bench);
  const rows = makeRows(2_100).map((row, index) => (index === 1_234 ? { ...row, split: 7 as unknown as string } : row));
  const error = await library.importDataset('large', { rows }).catch((thrown: unknown) => thrown);
  expect(ClientError.isInstance(error) && error.issues?.[0]?.field).toBe('rows.1234.split');
  expect(String(error)).toContain('nothing was imported');
  expect(sent.map(({ status }) => status)).toEqual([200, 422]);
  expect(await library.listDatasets()).toEqual([]);
});

test('a piece that changed on its way is refused by its digest', async () => {
  await using bench = await createControlBench();
  const { library } = await connect(bench, { change: (_, body) => body.replace('answer 1100"', 'answer 9911"') });
  const error = await library.importDataset('large', { rows: makeRows(2_100) }).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain('rows 1000 to 1999: the body is not the one that its Content-Digest is of');
  expect(await library.listDatasets()).toEqual([]);
});

test('a piece is good for the tenant that sent it, as it was given, and all of them are wanted', async () => {
  let mine = '';
  let theirs = '';
  await using bench = await createControlBench({}, async (store) => {
    mine = await makeToken(store, 'local', ['run:admin']);
    theirs = await makeToken(store, 'other', ['run:admin']);
  });
  const send = (path: string, body: unknown, token: string) =>
    bench.call('POST', `/v1/datasets/x/import/pieces${path}`, { body, token });
  const { json } = await send('', { rows: makeRows(3) }, mine);
  const { piece } = json as { piece: string };
  const make = (pieces: string[], count: number, token: string) =>
    send('/make', { pieces, row_count: count }, token).then(({ text }) => text);
  const forged = piece.replace(/\.3\./, '.4.');
  for (const [pieces, token] of [
    [[piece], theirs],
    [[forged], mine],
    [['nonsense'], mine],
  ] as const) {
    expect(await make([...pieces], 3, token)).toContain('piece 1 of the file is not here any more');
  }
  expect(await make([piece], 4, mine)).toContain('the pieces hold 3 rows, and 4 were sent; nothing was imported');
  expect(await make([piece], 3, mine)).toContain('"row_count":3');
  // It was taken away with the version that was made of it.
  expect(await make([piece], 3, mine)).toContain('piece 1 of the file is not here any more');
});

test('what can be told without reading a piece has a status: a wrong name, one piece twice, more rows than a set takes', async () => {
  await using bench = await createControlBench();
  const send = (path: string, body: unknown) => bench.call('POST', `/v1/datasets/${path}`, { body });
  const misnamed = await send('no%20name/import/pieces', { rows: makeRows(1) });
  expect([misnamed.status, misnamed.text]).toEqual([422, expect.stringContaining('the name of a data set')]);
  expect(await countBlobs(bench)).toBe(0);
  const { piece } = (await send('x/import/pieces', { rows: makeRows(3) })).json as { piece: string };
  const make = (pieces: string[], count: number, name = 'x') =>
    send(`${name}/import/pieces/make`, { pieces, row_count: count });
  expect((await make([piece], 3, 'no%20name')).status).toBe(422);
  // A signature in other letters is the same one.
  const [, facts = '', signature = ''] = /^(.*)\.(\w+)$/.exec(piece) ?? [];
  const twice = await make([piece, `${facts}.${signature.toUpperCase()}`], 6);
  expect([twice.status, twice.text]).toEqual([422, expect.stringContaining('a piece is named twice')]);
  expect((await make([piece], 4)).status).toBe(409);
  expect((await make(['nonsense'], 3)).status).toBe(410);
  const many = await make([piece], 1_000_001);
  expect([many.status, many.text]).toEqual([422, expect.stringContaining('row_count')]);
  expect((await make([piece], 3)).status).toBe(200);
});

test('pieces outlive the server that took them, and one that is away for a moment when the version is made', async () => {
  await using first = await createControlBench();
  const { json } = await first.call('POST', '/v1/datasets/x/import/pieces', { body: { rows: makeRows(3) } });
  await using second = await createControlBench({ home: first.home });
  const body = { pieces: [(json as { piece: string }).piece], row_count: 3 };
  expect((await second.call('POST', '/v1/datasets/x/import/pieces/make', { body })).text).toContain('"made"');

  let failures = 0;
  const { library, sent } = await connect(second, {
    change: (path, text) => {
      if (path.endsWith('/make') && failures++ === 0) throw new TypeError('the connection was cut');
      return text;
    },
  });
  expect(await library.importDataset('y', { rows: makeRows(1_001) })).toMatchObject({ dataset: { row_count: 1_001 } });
  expect([failures, sent.length]).toEqual([2, 3]);
});

test('who goes away while a version is made has none: no further piece is read', async () => {
  let parts: LibraryDeps | undefined;
  await using bench = await createControlBench({}, undefined, { parts: (real) => (parts = real) });
  if (parts === undefined) throw new Error('the bench has no parts');
  const gone = new AbortController();
  let reads = 0;
  const pieces = createImportPieces({
    secret: new Uint8Array(32),
    parts: {
      ...parts,
      blobs: {
        ...parts.blobs,
        get: async (digest) => {
          reads += 1;
          gone.abort(new Error('the caller left'));
          return await parts!.blobs.get(digest);
        },
      },
    },
  });
  const to = { tenantId: 'local', name: 'x' };
  const kept = [await pieces.add({ ...to, rows: makeRows(2) }), await pieces.add({ ...to, rows: makeRows(2) })];
  const make = {
    ...{ pieces: kept.map(({ piece }) => piece), row_count: 4, source: 'x' },
    ...{ is_held_out: false, held_out: 'refuse' as const },
  };
  const lines = pieces.make({ ...to, make, signal: gone.signal });
  expect(await lines.next()).toMatchObject({ value: { said: expect.stringContaining('4 rows') } });
  await expect(lines.next()).rejects.toThrow('the caller left');
  expect(reads).toBe(1);
  expect((await bench.call('GET', '/v1/datasets')).json).toEqual({ datasets: [] });
});

test('the memory of a body is given back before the work that it asks for begins', async () => {
  let held = 0;
  const atWork: Record<string, number> = {};
  const bodyLedger = {
    open: () => {
      held += 1;
      let isHeld = true;
      return {
        take: () => undefined,
        release: () => {
          held -= Number(isHeld);
          isHeld = false;
        },
      };
    },
  };
  await using bench = await createControlBench({}, undefined, {
    bodies: { bodyLedger },
    runs: {
      findEngineUrl: async () => {
        atWork['sample'] = held;
        throw new Error('there is none');
      },
    },
    parts: (real) => ({
      ...real,
      blobs: { ...real.blobs, get: (digest) => ((atWork['make'] = held), real.blobs.get(digest)) },
    }),
  });
  const { json } = await bench.call('POST', '/v1/datasets/x/import/pieces', { body: { rows: makeRows(1) } });
  const body = { pieces: [(json as { piece: string }).piece], row_count: 1 };
  await bench.call('POST', '/v1/datasets/x/import/pieces/make', { body });
  await bench.call('POST', '/models/sample', { body: { prompts: [{ tokens: [1] }] } });
  expect(atWork).toEqual({ make: 0, sample: 0 });
});

test('a field that is undefined is not sent', async () => {
  await using bench = await createControlBench();
  const { library } = await connect(bench);
  const made = await library.importDataset('small', { rows: makeRows(2), source: undefined, is_held_out: true });
  expect(made.dataset).toMatchObject({ row_count: 2, is_held_out: true, recipe: { from: 'rows' } });
});
