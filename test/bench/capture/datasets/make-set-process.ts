/**
 * Makes a data set of so many rows in the home it is given, and prints how long it took and the most memory it had. With `hoard` the rows
 * are all there before the first is written: the fault that the bench must catch.
 */
import { makeDataset } from '@lachesis/data';
import { makeConversation, type DataRecord } from '@lachesis/protocol';
import { openHome } from '@lachesis/store';

const [home = '', rows = '0', mode = 'stream'] = process.argv.slice(2);
const count = Number(rows);

function* makeRows(): Generator<DataRecord> {
  for (let index = 0; index < count; index += 1) {
    yield makeConversation({
      id: `row-${index}`,
      trajectory_id: `trajectory-${index}`,
      messages: [
        { role: 'user', content: `Where is order ${index}? ${'It was promised for Monday. '.repeat(8)}` },
        { role: 'assistant', content: `Order ${index} left the warehouse. ${'It will be with you soon. '.repeat(8)}` },
      ],
      consent: 'train',
    });
  }
}

const { store, blobs } = await openHome({ home });
const startedAt = performance.now();
const { dataset } = await makeDataset({
  ...{ store, blobs, tenantId: 'local', name: `set-${count}`, filter: {} },
  source: mode === 'hoard' ? [...makeRows()] : makeRows(),
  sourceName: 'bench',
  transforms: [{ kind: 'split', seed: 'bench', shares: { train: 9, test: 1 } }],
});
const seconds = (performance.now() - startedAt) / 1000;
await store.close();
process.stdout.write(
  `${JSON.stringify({ rows: dataset.row_count, seconds, peakBytes: process.resourceUsage().maxRSS * 1024 })}\n`,
);
