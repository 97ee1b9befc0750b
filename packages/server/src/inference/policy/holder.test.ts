import type { ActivePolicy } from '@lachesis/protocol';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../http/logs/create-log.ts';
import { createScriptedSource, sampled } from '../scripted-source.fixture.ts';
import { PolicyHolder } from './holder.ts';
import type { PolicyMemory } from './memory.ts';
import type { Weights } from './weights-source.ts';

const log = createLog({ name: 'test', level: 'silent' });

function kit(options: { kept?: ActivePolicy[]; onOpen?: (weights: Weights) => Promise<void> } = {}) {
  const saved: ActivePolicy[][] = [];
  const memory: PolicyMemory = {
    load: async () => options.kept ?? [],
    save: async (history) => void saved.push([...history]),
  };
  const source = createScriptedSource(() => ({ sequences: [sampled('x')] }), options.onOpen);
  let now = 0;
  const holder = new PolicyHolder({ source, memory, baseModel: 'base', now: () => (now += 1), log, retryMs: 1 });
  return { holder, source, saved };
}

const publication = (version: number, path = `tinker://run/weights/${version}`) => ({
  model_path: path,
  policy_version: version,
  step: version,
});

describe('a policy holder', () => {
  it('serves the base model first, and lets early callers wait for it', async () => {
    const { holder, source } = kit();
    holder.start();
    const held = await holder.acquire();
    expect(held.policy).toMatchObject({ policy_version: 0, model_path: null, base_model: 'base' });
    expect(source.opened).toEqual([{ modelPath: null, baseModel: 'base' }]);
  });

  it('gives old weights back when their last request has ended, and not before', async () => {
    const { holder, source } = kit();
    holder.start();
    const old = await holder.acquire();
    await holder.publish(publication(1));
    expect((await holder.acquire()).policy.policy_version).toBe(1);
    expect((await holder.acquire({ wanted: 0 })).policy.policy_version).toBe(0);
    expect(source.closed).toEqual([]);
    old.release();
    old.release();
    expect(source.closed).toEqual([]);
  });

  it('is done with weights that nobody uses', async () => {
    const { holder, source } = kit();
    holder.start();
    const old = await holder.acquire();
    await holder.publish(publication(1));
    old.release();
    expect(source.closed).toEqual([{ modelPath: null, baseModel: 'base' }]);
    await expect(holder.acquire({ wanted: 0 })).rejects.toThrow('policy 0 is wanted and policy 1 is served');
  });

  it('answers a repeated publication with the first answer, and refuses older ones', async () => {
    const { holder, source } = kit();
    holder.start();
    const first = await holder.publish(publication(3));
    expect(await holder.publish(publication(3))).toEqual(first);
    expect(source.opened).toHaveLength(2);
    await expect(holder.publish(publication(2))).rejects.toMatchObject({ code: 'conflict' });
    await expect(holder.publish(publication(3, 'tinker://other/weights/3'))).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await holder.publish({ ...publication(0), force: true })).toMatchObject({ policy_version: 0 });
    expect(holder.state.history.map(({ policy_version: version }) => version)).toEqual([0, 3, 0]);
  });

  it('keeps serving what it has when new weights cannot be loaded', async () => {
    const { holder, saved } = kit({
      onOpen: async ({ modelPath }) => {
        if (modelPath !== null) throw new Error('no such checkpoint');
      },
    });
    holder.start();
    await expect(holder.publish(publication(1))).rejects.toThrow('no such checkpoint');
    expect((await holder.acquire()).policy.policy_version).toBe(0);
    expect(saved).toHaveLength(1);
  });

  it('remembers a policy before it answers with it, and a successor serves it again', async () => {
    const { holder, saved } = kit();
    holder.start();
    await holder.publish(publication(5));
    const successor = kit({ kept: saved.at(-1) ?? [] });
    successor.holder.start();
    expect((await successor.holder.acquire()).policy).toMatchObject({ policy_version: 5, active_since: 2 });
    expect(successor.saved).toEqual([]);
  });

  it('starts over when the run has another base model', async () => {
    const kept = [{ ...publication(5), base_model: 'other', active_since: 1 }];
    const { holder } = kit({ kept });
    holder.start();
    expect((await holder.acquire()).policy).toMatchObject({ policy_version: 0, base_model: 'base' });
  });

  it('tries again when the engine is not there yet', async () => {
    let failures = 2;
    const { holder } = kit({
      onOpen: async () => {
        if (failures-- > 0) throw new Error('nobody listens');
      },
    });
    holder.start();
    await expect(holder.acquire()).rejects.toThrow(/nobody listens/);
    await expect.poll(() => holder.state.active?.policy_version).toBe(0);
    expect(holder.problem).toBeUndefined();
  });
});
