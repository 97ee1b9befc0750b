import { makeConversation, type DataRecord } from '@lachesis/protocol';
import { homePaths } from '@lachesis/protocol/home';
import { ClientError, createLibraryClient } from '@lachesis/sdk';
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createControlBench, makeToken, type ControlBench } from './bench.fixture.ts';

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
  const blobs = await countBlobs(bench);

  const body = { rows, source: 'large.jsonl' };
  const { json } = await bench.call('POST', '/v1/datasets/at-once/import', { body });
  expect((json as typeof made).dataset.content_digest).toBe(made.dataset.content_digest);
  // The same chunks by their content; a piece left behind would be one more file on the first count.
  expect(await countBlobs(bench)).toBe(blobs);
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
