import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSlots } from '@lachesis/protocol';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { holdSandbox } from './hold-sandbox.ts';

const signal = new AbortController().signal;

function createHeld({ slots = createSlots(1), fails = false } = {}) {
  const facts = { made: 0, destroyed: 0, broken: 0 };
  const held = holdSandbox({
    create: async () => {
      facts.made += 1;
      if (fails) throw new Error('no room on this machine');
      return { id: 'one', destroy: async () => void (facts.destroyed += 1) } as unknown as Sandbox;
    },
    room: { wait: () => slots.take(signal), takeFree: slots.takeFree },
    onBroken: () => (facts.broken += 1),
    log: () => {},
  });
  return { held, facts, slots };
}

describe('a held sandbox', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is made once, begun before somebody asks', async () => {
    const { held, facts } = createHeld();
    held.begin();
    await vi.advanceTimersByTimeAsync(50);
    expect([facts.made, held.isUsed]).toEqual([1, false]);
    await held.get();
    expect([facts.made, held.isUsed]).toEqual([1, true]);
    await held.release();
    expect(facts.destroyed).toBe(1);
  });
  it('is not made for a rollout that is over at once', async () => {
    const { held, facts } = createHeld();
    held.begin();
    await held.release();
    await vi.advanceTimersByTimeAsync(50);
    expect(facts.made).toBe(0);
  });
  it('is destroyed and gives its room back when it was begun and nobody asked', async () => {
    const { held, facts, slots } = createHeld();
    held.begin();
    await vi.advanceTimersByTimeAsync(50);
    await held.release();
    expect(facts).toEqual({ made: 1, destroyed: 1, broken: 0 });
    expect(slots.takeFree()).toBeDefined();
  });
  it('does not wait for room before somebody asks', async () => {
    const slots = createSlots(1);
    const leave = slots.takeFree();
    const { held, facts } = createHeld({ slots });
    held.begin();
    await vi.advanceTimersByTimeAsync(50);
    expect(facts.made).toBe(0);
    const asked = held.get();
    leave?.();
    await asked;
    expect(facts.made).toBe(1);
    await held.release();
    expect(slots.takeFree()).toBeDefined();
  });
  it('tells of a failure when it is asked for, and not before', async () => {
    const { held, facts } = createHeld({ fails: true });
    held.begin();
    await vi.advanceTimersByTimeAsync(50);
    expect(facts.broken).toBe(0);
    await expect(held.get()).rejects.toThrow('no room');
    expect(facts.broken).toBe(1);
    await held.release();
  });
});
