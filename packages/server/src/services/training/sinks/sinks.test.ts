import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createJsonlSink } from './jsonl-sink.ts';
import { joinSinks, type MetricSink } from './metric-sink.ts';
import { crc32c, maskedCrc32c } from './tensorboard/crc32c.ts';
import { createTensorboardSink } from './tensorboard/tensorboard-sink.ts';
import { openWandbSink, type HelperProcess } from './wandb-sink.ts';

const ROW = { step: 3, at: 1_700_000_000_500, values: { 'reward/mean': 0.5 } };
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lachesis-sinks-'));
});
afterAll(() => rm(directory, { recursive: true }));

test('metrics.jsonl has one line a step', async () => {
  const path = join(directory, 'deep', 'metrics.jsonl');
  const sink = createJsonlSink({ path });
  await sink.write(ROW);
  await sink.write({ ...ROW, step: 4 });
  expect(
    (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { step: 3, time: 1_700_000_000.5, 'reward/mean': 0.5 },
    { step: 4, time: 1_700_000_000.5, 'reward/mean': 0.5 },
  ]);
});

test('a sink that fails is told about and does not stop the others', async () => {
  const written: string[] = [];
  const good: MetricSink = { name: 'good', write: async () => void written.push('good'), close: async () => undefined };
  const bad: MetricSink = { ...good, name: 'bad', write: () => Promise.reject(new Error('full')) };
  const failures: string[] = [];
  await joinSinks([bad, good], (name) => failures.push(name)).write(ROW);
  expect([written, failures]).toEqual([['good'], ['bad']]);
});

test('checksums are those of the standard', () => {
  // RFC 3720, appendix B.4: 32 bytes of zeros, and of ones.
  expect(crc32c(new Uint8Array(32))).toBe(0x8a91_36aa);
  expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8_ab43);
  expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe306_9283);
});

test('an event file is records of length, data and their checksums', async () => {
  const sink = createTensorboardSink({ directory: join(directory, 'board'), startedAt: ROW.at, suffix: '1' });
  await sink.write(ROW);
  const [name] = await readdir(join(directory, 'board'));
  expect(name).toBe('events.out.tfevents.1700000000.lachesis.1');
  const bytes = new Uint8Array(await readFile(join(directory, 'board', name!)));
  const view = new DataView(bytes.buffer);
  const texts: string[] = [];
  for (let offset = 0; offset < bytes.length;) {
    const length = Number(view.getBigUint64(offset, true));
    expect(view.getUint32(offset + 8, true)).toBe(maskedCrc32c(bytes.subarray(offset, offset + 8)));
    const data = bytes.subarray(offset + 12, offset + 12 + length);
    expect(view.getUint32(offset + 12 + length, true)).toBe(maskedCrc32c(data));
    texts.push(new TextDecoder('latin1').decode(data));
    offset += length + 16;
  }
  expect(texts).toHaveLength(2);
  expect(texts[0]).toContain('brain.Event:2');
  expect(texts[1]).toContain('reward/mean');
});

test('W&B gets its rows through the helper, and says how to install it', async () => {
  const lines: string[] = [];
  let ends = 0;
  const helper = (first: object): HelperProcess => ({
    write: (line) => void lines.push(line),
    end: async () => void (ends += 1),
    firstLine: Promise.resolve(JSON.stringify(first)),
  });
  const options = { project: 'p', id: 'run', directory, mode: 'offline' } as const;
  const sink = await openWandbSink({
    ...options,
    startHelper: () => helper({ ready: true, url: 'https://wandb.test/e/p/runs/run', entity: 'e', project: 'p' }),
  });
  expect(sink.place).toEqual({ entity: 'e', project: 'p', url: 'https://wandb.test/e/p/runs/run' });
  await sink.write(ROW);
  await sink.close();
  await sink.close();
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { project: 'p', id: 'run', directory, mode: 'offline' },
    { step: 3, values: { 'reward/mean': 0.5 } },
  ]);
  expect(ends).toBe(1);
  const missing = openWandbSink({ ...options, startHelper: () => helper({ error: 'no-wandb' }) });
  await expect(missing).rejects.toThrow('pip install wandb');
});
