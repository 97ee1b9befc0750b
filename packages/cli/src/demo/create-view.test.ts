import { expect, test } from 'vitest';

import { createView } from './create-view.ts';

function look(isLive: boolean, columns = 80): { view: ReturnType<typeof createView>; text: () => string } {
  let text = '';
  const view = createView({ write: (part) => (text += part), isLive, now: () => 0, columns });
  return { view, text: () => text };
}

const first = { step: 1, reward: 0.5, seconds: 2 };

test('without a terminal each step is a line with its bar', () => {
  const { view, text } = look(false);
  view.engine({ step: 'venv', message: 'making a venv' });
  view.warmUp(1, 25, 3);
  view.step(first, [first], 16);
  expect(text()).toBe('  [  0 s] making a venv\n  step  1/16  reward 0.500   2.0 s  ████████████\n');
});

test('on a terminal the curve is drawn over itself, and what is said later takes its place unless it is settled', () => {
  const { view, text } = look(true);
  view.step(first, [first], 16);
  const height = text().split('\n').length - 1;
  view.step({ ...first, step: 2 }, [first, { ...first, step: 2 }], 16);
  expect(text().split(`\u001B[${height}A\u001B[J`)).toHaveLength(2);
  view.settle();
  view.log('done');
  expect(text().endsWith('2.0 s\ndone\n')).toBe(true);
});

test('no line is wider than the terminal', () => {
  const { view, text } = look(true, 30);
  view.engine({ step: 'install', message: 'x'.repeat(100) });
  view.step(first, [first], 100);
  expect(
    text()
      // oxlint-disable-next-line no-control-regex -- what moves the cursor is taken out
      .replaceAll(/\u001B\[\d*[AJ]/g, '')
      .split('\n')
      .every((line) => line.length < 30),
  ).toBe(true);
});

test('a clock moves on a terminal, with what came onto the disk', () => {
  let [clock, free, text] = [0, 5e9, ''];
  const view = createView({
    ...{ write: (part) => (text += part), isLive: true, now: () => clock, columns: 80, readFreeBytes: () => free },
  });
  view.engine({ step: 'install', message: 'installing' });
  [clock, free] = [12_000, 4.7e9];
  view.tick();
  expect(text).toContain('12 s  about 300 MB written  installing');
  // The step is under way: the bar is not full.
  view.engine({ step: 'start', message: 'starting' });
  expect(text.slice(text.lastIndexOf('['))).toContain('#--');
});

test('in a pipe no silence is longer than five seconds', () => {
  let clock = 0;
  const spoke: number[] = [];
  const view = createView({ write: () => spoke.push(clock), isLive: false, now: () => clock, columns: 80 });
  view.log('2 warm-up');
  view.waiting('the first step is compiled');
  for (clock = 1_000; clock <= 60_000; clock += 1_000) view.tick();
  expect(Math.max(...spoke.map((at, index) => at - (spoke[index - 1] ?? 0)))).toBeLessThanOrEqual(5_000);
  view.settle();
  const before = spoke.length;
  clock += 60_000;
  view.tick();
  expect(spoke).toHaveLength(before);
});

test('the last step has a clock too, while what was started ends; what stays is without it', () => {
  let [clock, text] = [0, ''];
  const view = createView({ write: (part) => (text += part), isLive: true, now: () => clock, columns: 80 });
  view.step({ ...first, step: 16 }, [first], 16);
  clock = 3_000;
  view.tick();
  expect(text).toContain('ending what was started 3 s');
  view.settle();
  expect(text.endsWith('step 16/16  reward 0.500   2.0 s\n')).toBe(true);
});
