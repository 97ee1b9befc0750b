import { createIdSource, realClock } from '@lachesis/protocol';
import { openCheckpointList, openStepLedger, openStore, type Store } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchJournal } from '../engine/watched-journal.ts';
import { createCheckpointRetention } from '../checkpoint-retention.ts';
import type { RecordExample } from './method.ts';
import { orderRows } from './order-rows.ts';
import { readRecordSettings } from './settings.ts';
import { toDatum } from './to-datum.ts';
import { trainRecords, type TrainedRecords } from './train-records.ts';
import { createDpoMethod } from '../dpo/method.ts';
import { createSftMethod } from '../sft/method.ts';
import { createMemoryJournal, FakeEngine } from '../testing/fake-engine.fixture.ts';

let directory: string;
let store: Store;
let runs = 0;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lachesis-records-'));
  store = await openStore({ sqlitePath: join(directory, 'store.db') });
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const ROWS = 6;
const METHODS = {
  sft: createSftMethod({ trainOn: 'all-assistant', useRecordedTokens: false, packTokens: undefined }),
  dpo: createDpoMethod({ beta: 0.1, labelSmoothing: 0, chosenNllWeight: 0 }),
};

/** Each example is known by its first target, which the fake engine keeps as its weights. */
function listExamples(method: keyof typeof METHODS): RecordExample[] {
  return Array.from({ length: ROWS }, (_, row) => {
    const datum = toDatum({ tokens: Int32Array.from([1, 100 + row, 7]), mask: [0, 1, 1] });
    return { id: `row-${row}`, datums: method === 'sft' ? [datum] : [datum, datum] };
  });
}

/** A run that any number of processes go on with; each dies at its touch of that number. */
function createRun(engine: FakeEngine, method: keyof typeof METHODS) {
  const runId = `run-${(runs += 1)}`;
  const file = createMemoryJournal();
  const cached = new Map<string, Float32Array>();
  const settings = readRecordSettings(method, { batch_size: 2, epochs: 2, save_every: 2, learning_rate: 1e-3 });
  const examples = listExamples(method);
  const order = orderRows({ count: ROWS, batchSize: 2, epochs: 2, maxSteps: null, seed: 1 });
  const wanted = Array.from({ length: order.totalSteps }, (_, index) => 100 + order.batchAt(index + 1)[0]!);
  let most = 0;
  const live = async (dieAt = Infinity): Promise<TrainedRecords> => {
    let touches = 0;
    const touch = (): void => {
      touches += 1;
      most = Math.max(most, touches);
      if (touches >= dieAt) throw new Error('killed');
    };
    const journal = watchJournal(file);
    const scope = { store, tenantId: 'local', runId, incarnationId: runId, ids: createIdSource() };
    const real = openStepLedger(scope);
    // Each write of the ledger is a place to die at, before and after.
    const around =
      <A extends unknown[], R>(work: (...given: A) => Promise<R>) =>
      async (...given: A): Promise<R> => {
        touch();
        const result = await work(...given);
        touch();
        return result;
      };
    const ledger = { ...real, open: around(real.open), advance: around(real.advance), rewind: around(real.rewind) };
    const list = openCheckpointList(scope);
    const checkpoints = { ...list, add: around(list.add) };
    const connected = engine.connect(journal, touch);
    return trainRecords({
      method: METHODS[method],
      settings,
      examples,
      measured: examples.slice(0, 2),
      order,
      datasetId: 'set',
      datasetDigest: 'digest',
      engine: connected,
      journal,
      ledger,
      checkpoints,
      retention: createCheckpointRetention({
        ...{ checkpoints, ledger, engine: connected, keep: 2, earlier: [] },
        log: pino({ level: 'silent' }),
      }),
      reference: {
        read: async (key) => cached.get(key),
        write: async (key, values) => void cached.set(key, values),
      },
      sink: { name: 'none', write: async () => undefined, close: async () => undefined },
      clock: realClock,
      wallClock: Date.now,
      log: pino({ level: 'silent' }),
      signal: new AbortController().signal,
      onProgress: () => undefined,
      saveMetrics: async () => undefined,
    });
  };
  const weightsOf = ({ saved }: TrainedRecords): number[] | undefined => engine.saved.get(saved!.weightsPath);
  return { live, wanted, weightsOf, touches: () => most };
}

for (const method of ['sft', 'dpo'] as const) {
  for (const repeatsSafely of [true, false]) {
    test(`${method}: each row is in the weights as often as there are epochs, wherever it was killed (${repeatsSafely ? 'ordered engine' : 'SkyRL'})`, async () => {
      const traits = { repeatsSafely, savesStateWithWeights: !repeatsSafely };
      const whole = createRun(new FakeEngine(traits), method);
      expect(whole.weightsOf(await whole.live())).toEqual(whole.wanted);
      expect(whole.touches()).toBeGreaterThan(40);
      for (let dieAt = 1; dieAt <= whole.touches(); dieAt += 1) {
        const run = createRun(new FakeEngine(traits), method);
        await run.live(dieAt).catch(() => undefined);
        // The one who goes on is killed too, some touches later.
        await run.live(11).catch(() => undefined);
        const end = await run.live();
        expect(run.weightsOf(end), `killed at touch ${dieAt}`).toEqual(run.wanted);
      }
    });
  }
}

test('goes back to the last saved state when the engine has lost its models, and makes the steps since again', async () => {
  const engine = new FakeEngine({ repeatsSafely: false });
  const run = createRun(engine, 'sft');
  await run.live(60).catch(() => undefined);
  engine.loseModels();
  const end = await run.live();
  expect(run.weightsOf(end)).toEqual(run.wanted);
  expect(end.origin).toBe('restored');
});
