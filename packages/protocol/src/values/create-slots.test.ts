import { expect, test } from 'vitest';
import { createSlots } from './create-slots.ts';

const never = new AbortController().signal;

test('so many are let in at once, in order, and a slot is freed once', async () => {
  const slots = createSlots(2);
  const [first, second] = [await slots.take(never), await slots.take(never)];
  const entered: string[] = [];
  const wait = async (name: string): Promise<() => void> => {
    const leave = await slots.take(never);
    entered.push(name);
    return leave;
  };
  const [third, fourth] = [wait('third'), wait('fourth')];
  first();
  first();
  const leave = await third;
  expect(entered).toEqual(['third']);
  second();
  await fourth;
  leave();
  expect(entered).toEqual(['third', 'fourth']);
  expect(await slots.take(never)).toBeTypeOf('function');
});

test('who gives up waiting takes no slot', async () => {
  const slots = createSlots(1);
  const leave = await slots.take(never);
  const stop = new AbortController();
  const waiting = slots.take(stop.signal);
  stop.abort(new Error('ended'));
  await expect(waiting).rejects.toThrow('ended');
  leave();
  expect(await slots.take(never)).toBeTypeOf('function');
});
