import { describe, expect, it } from 'vitest';
import { findExcess } from './bounds.ts';
import { createQueueBench, makeRegistration } from './queue/queue-bench.fixture.ts';
import { registerTrainer } from './queue/register-trainer.ts';

const settings = { maxQueuedGroups: 100, maxQueuedBytes: 100_000, maxStaleness: 2 };

describe('the bounds of a run', () => {
  it.each(['atropos', 'native'] as const)('hold groups and bytes at the %s API', (api) => {
    const bench = createQueueBench();
    bench.push({ payloadBytes: 500 }, { payloadBytes: 500 });
    expect(findExcess(bench.state, settings, api)).toBeNull();
    expect(findExcess(bench.state, { ...settings, maxQueuedGroups: 2 }, api)).toBe('2 groups wait in this run');
    expect(findExcess(bench.state, { ...settings, maxQueuedBytes: 1_000 }, api)).toBe('1000 bytes wait in this run');
  });

  it('count buffered and leased groups too', () => {
    const bench = createQueueBench();
    bench.registerTrainer(8);
    const envId = bench.registerEnvironment({ groupSize: 4 });
    bench.push({}, {}, { envId, sequenceCount: 2 });
    bench.lease();
    expect(findExcess(bench.state, { ...settings, maxQueuedGroups: 3 }, 'atropos')).not.toBeNull();
  });

  it('hold staleness at the native API only: environments of the Atropos wire pace themselves', () => {
    const bench = createQueueBench();
    bench.registerTrainer(8);
    bench.push({}, {}, {}, {});
    expect(findExcess(bench.state, settings, 'native')).toBe('16 sequences wait ahead of the trainer');
    expect(findExcess(bench.state, settings, 'atropos')).toBeNull();
  });

  it('count formed batches as waiting and leased ones as gone', () => {
    const bench = createQueueBench();
    bench.registerTrainer(8);
    bench.push({}, {}, {}, {}, {}, {});
    bench.lease();
    expect(findExcess(bench.state, settings, 'native')).toBe('16 sequences wait ahead of the trainer');
    bench.lease();
    expect(findExcess(bench.state, settings, 'native')).toBeNull();
  });

  it('follow what the trainer asked for rather than the setting', () => {
    const bench = createQueueBench();
    bench.take((transaction) => registerTrainer(transaction, makeRegistration({ batchSize: 8, maxStaleness: 1 })));
    bench.push({}, {});
    expect(findExcess(bench.state, settings, 'native')).toBe('8 sequences wait ahead of the trainer');
  });

  it('hold no staleness before a trainer has registered', () => {
    const bench = createQueueBench();
    bench.push({}, {}, {}, {}, {}, {}, {});
    expect(findExcess(bench.state, settings, 'native')).toBeNull();
  });
});
