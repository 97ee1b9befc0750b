import type { findPromoted } from '@lachesis/store';
import type { ActivePolicy } from '@lachesis/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../http/logs/create-log.ts';
import { createScriptedSource, sampled } from '../scripted-source.fixture.ts';
import { PolicyHolder } from './holder.ts';
import { PromotedFollower, readFirstPromoted } from './promoted-follower.ts';
import type { Weights } from './weights-source.ts';

type PromotedModel = NonNullable<Awaited<ReturnType<typeof findPromoted>>>;

const log = createLog({ name: 'test', level: 'silent' });

const promote = (version: number, baseModel = 'base'): PromotedModel => {
  const ids = { name: 'support', version, modelVersionId: `id-${version}` };
  return {
    model: {
      ...{ ...ids, baseModel, method: 'dpo', weightsPath: version === 0 ? '' : `tinker://m/${version}` },
      ...{ statePath: null, run: 'r', step: 10 * version, parent: null, dataset: null, config: {}, evaluations: [] },
      ...{ createdAt: 1, weightsDeletedAt: null },
    },
    promotion: { ...ids, ordinal: version, kind: 'promoted', reason: 'better', by: 'ada', at: 1 },
  };
};

function kit(
  options: { kept?: ActivePolicy[]; first?: PromotedModel; onOpen?: (weights: Weights) => Promise<void> } = {},
) {
  const source = createScriptedSource(() => ({ sequences: [sampled('x')] }), options.onOpen);
  let kept = options.kept ?? [];
  const memory = {
    load: async () => kept,
    save: async (history: readonly ActivePolicy[]) => void (kept = [...history]),
  };
  const given: { now: PromotedModel | undefined } = { now: options.first };
  const read = vi.fn(async () => given.now);
  const promoted = { name: 'support', read };
  const readFirst = (history: readonly ActivePolicy[]) => readFirstPromoted({ promoted, baseModel: 'base' }, history);
  const holder = new PolicyHolder({ source, memory, baseModel: 'base', now: () => 0, log, readFirst });
  const follower = new PromotedFollower({ promoted, holder, baseModel: 'base', log });
  holder.start();
  follower.start();
  return { holder, follower, source, given, read, kept: () => kept };
}

describe('a server that follows a name', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('serves the base model until something is promoted, then that within a second', async () => {
    const { holder, given } = kit();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(holder.state.active).toMatchObject({ policy_version: 0, model_path: null });
    given.now = promote(1);
    await vi.advanceTimersByTimeAsync(600);
    expect(holder.state.active).toMatchObject({
      ...{ policy_version: 1, model_path: 'tinker://m/1', step: 10, model_version_id: 'id-1' },
    });
  });

  it('answers with nothing but what is promoted when it starts', async () => {
    const { holder, source } = kit({ first: promote(3) });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(source.opened).toEqual([{ modelPath: 'tinker://m/3', baseModel: 'base' }]);
    expect(holder.state.active).toMatchObject({ model_version_id: 'id-3' });
    const other = kit({ first: promote(3, 'another') });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(other.source.opened).toEqual([]);
    expect(other.holder.problem).toMatch(/belongs to the base model another/);
  });

  it('numbers what was promoted while it was away after what was served before', async () => {
    const before = kit({ first: promote(1) });
    await vi.advanceTimersByTimeAsync(600);
    await before.follower.close();
    const { holder } = kit({ kept: before.kept(), first: promote(2) });
    await vi.advanceTimersByTimeAsync(600);
    expect(holder.state.active).toMatchObject({ policy_version: 2, model_version_id: 'id-2' });
  });

  it('takes a rollback for a policy of its own, and the base model for no weights', async () => {
    const { holder, given } = kit();
    await vi.advanceTimersByTimeAsync(600);
    for (const version of [1, 2, 1, 0]) {
      given.now = promote(version);
      await vi.advanceTimersByTimeAsync(600);
    }
    expect(holder.state.history.map(({ policy_version: policy, model_path: path }) => [policy, path])).toEqual([
      ...[
        [4, null],
        [3, 'tinker://m/1'],
        [2, 'tinker://m/2'],
        [1, 'tinker://m/1'],
        [0, null],
      ],
    ]);
  });

  it('goes on with what was served before a restart, without loading it twice', async () => {
    const before = kit();
    before.given.now = promote(1);
    await vi.advanceTimersByTimeAsync(600);
    await before.follower.close();
    const after = kit({ kept: before.kept(), first: promote(1) });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(after.source.opened).toEqual([{ modelPath: 'tinker://m/1', baseModel: 'base' }]);
    expect(after.holder.state.active).toMatchObject({ policy_version: 1, model_version_id: 'id-1' });
  });

  it('leaves what answers in place while the next cannot be loaded, and tries again', async () => {
    let isBroken = true;
    const { holder, given } = kit({
      onOpen: async ({ modelPath }) => {
        if (isBroken && modelPath === 'tinker://m/2') throw new Error('no such checkpoint');
      },
    });
    given.now = promote(1);
    await vi.advanceTimersByTimeAsync(600);
    given.now = promote(2);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(holder.state.active?.model_path).toBe('tinker://m/1');
    isBroken = false;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(holder.state.active?.model_path).toBe('tinker://m/2');
  });

  it('does not serve weights of another base model', async () => {
    const { holder, given } = kit();
    await vi.advanceTimersByTimeAsync(600);
    given.now = promote(1, 'another');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(holder.state.active).toMatchObject({ policy_version: 0 });
    given.now = promote(2, '/models/base');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(holder.state.active).toMatchObject({ model_version_id: 'id-2' });
  });

  it('looks no more when it is closed', async () => {
    const { follower, read } = kit();
    await vi.advanceTimersByTimeAsync(600);
    await follower.close();
    const looks = read.mock.calls.length;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(read.mock.calls.length).toBe(looks);
  });
});
