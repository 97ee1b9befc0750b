import type { FeedbackInput, TrajectoryDetail } from '@lachesis/protocol';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createKeyReader } from '../terminal/key-reader.ts';
import { createPaint } from '../terminal/paint.ts';
import { runRateLoop, type RateSummary } from './rate-loop.ts';
import { makeDetail, makeTurn } from './trajectories.fixture.ts';

const details = ['one', 'two', 'three'].map((id) =>
  makeDetail([makeTurn(0, [{ role: 'user', content: `ask ${id}` }], { role: 'assistant', content: `say ${id}` })], {
    trajectory_id: id,
  }),
);

/** Presses the keys and gives back what was kept and what was on the screen. */
async function press(
  keys: string | string[],
  options: {
    edited?: string;
    refuse?: (feedback: FeedbackInput) => boolean;
    known?: TrajectoryDetail[];
    rows?: number;
  } = {},
): Promise<{ kept: FeedbackInput[]; screen: string; summary: RateSummary }> {
  const { edited, refuse = () => false, known = details, rows = 40 } = options;
  const input = new PassThrough();
  const kept: FeedbackInput[] = [];
  let screen = '';
  const reader = createKeyReader(input);
  for (const chunk of [keys].flat()) input.write(chunk);
  input.end();
  const summary = await runRateLoop({
    library: {
      readTrajectory: async (id) => known.find((each) => each.summary.trajectory_id === id),
      writeFeedback: async (request) => {
        const feedback = request as FeedbackInput;
        if (refuse(feedback)) throw new Error('the server is away');
        kept.push(feedback);
        return { feedback_id: 'f', feedback, value: null, revises: null, created_at: 0, withdrawn_at: null };
      },
    },
    trajectories: details.map(({ summary: each }) => each),
    keys: reader,
    write: (text) => {
      screen += text;
    },
    editText: async () => edited,
    author: 'me',
    paint: createPaint(false),
    columns: 80,
    rows,
    total: () => 3,
    clears: false,
  });
  reader.close();
  return { kept, screen, summary };
}

test('one key rates and moves on', async () => {
  const { kept, summary } = await press('ud4');
  expect(kept).toMatchObject([
    { trajectory_id: 'one', kind: 'thumb', is_up: true, author: 'me', author_kind: 'person', key: 'rate:one' },
    { trajectory_id: 'two', kind: 'thumb', is_up: false },
    { trajectory_id: 'three', kind: 'stars', stars: 4 },
  ]);
  expect(summary).toEqual({ rated: 3, edited: 0, commented: 0, skipped: 0 });
});

test('back shows the one before, and another key revises it under the same key', async () => {
  const { kept } = await press('ub1q');
  expect(kept).toMatchObject([
    { trajectory_id: 'one', kind: 'thumb', key: 'rate:one' },
    { trajectory_id: 'one', kind: 'stars', stars: 1, key: 'rate:one' },
  ]);
});

test('skipping keeps nothing, unknown keys do nothing, and quitting ends', async () => {
  const { kept, summary, screen } = await press('szZq5');
  expect(kept).toEqual([]);
  expect(summary.skipped).toBe(1);
  expect(screen).not.toContain('say three');
});

test('a comment is typed in one line, wide letters and corrections included', async () => {
  const { kept, screen, summary } = await press(['c', 'gx\u007Food 天', '\r', 'u']);
  expect(kept).toMatchObject([
    { kind: 'text', comment: 'good 天', key: 'comment:one' },
    { kind: 'thumb', trajectory_id: 'one' },
  ]);
  expect(summary.commented).toBe(1);
  expect(screen).toContain('commented');
});

test('a comment that is given up with Escape is not kept', async () => {
  const { kept } = await press(['c', 'bad', '\u001B', 'q']);
  expect(kept).toEqual([]);
});

test('an edited reply is kept with its turn, an unchanged one is not', async () => {
  const { kept, summary } = await press('eu', { edited: 'say it better' });
  expect(kept[0]).toMatchObject({
    kind: 'edit',
    turn_index: 0,
    key: 'edit:one',
    edited: { role: 'assistant', content: 'say it better' },
  });
  expect(summary).toMatchObject({ edited: 1, rated: 1 });
  expect((await press('eq', { edited: 'say one' })).kept).toEqual([]);
});

test('arrows, Ctrl-C and the end of the input are keys too', async () => {
  expect((await press(['\u001B[C', '\u001B[D', 'u', '\u0003'])).kept).toMatchObject([{ trajectory_id: 'one' }]);
  expect((await press('')).summary.rated).toBe(0);
});

test('what could not be kept is said, and the trajectory stays', async () => {
  let calls = 0;
  const { kept, screen } = await press('uu', { refuse: () => calls++ === 0 });
  expect(screen).toContain('not kept: the server is away');
  expect(kept).toMatchObject([{ trajectory_id: 'one', is_up: true }]);
});

test('one that was forgotten meanwhile is passed over', async () => {
  const { kept } = await press('uu', { known: details.slice(1) });
  expect(kept.map((each) => each.trajectory_id)).toEqual(['two', 'three']);
});

test('says how many there are, and the keys stand under what is shown whole', async () => {
  const { screen } = await press('uvq');
  expect(screen).toContain('1 of 3\n');
  expect(screen).toContain('2 of 3\n');
  expect(screen.trimEnd().endsWith('q quit')).toBe(true);
});

test('an edited reply is shown as it was edited', async () => {
  const { screen } = await press('eq', { edited: 'say it better' });
  expect(screen.slice(screen.lastIndexOf('1 of 3'))).toContain('say it better');
});

test('a long reply is scrolled, and the task stays on top', async () => {
  const long = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n');
  const known = [
    makeDetail([makeTurn(0, [{ role: 'user', content: 'count' }], { role: 'assistant', content: long })], {
      ...{ trajectory_id: 'one', title: 'count for me' },
    }),
  ];
  const screens = (await press(['\u001B[5~', 'k', 'q'], { known, rows: 20 })).screen.split(/^1 of 3/m).slice(1);
  expect(screens).toHaveLength(3);
  for (const screen of screens) expect(screen).toContain('task count for me');
  expect(screens[0]).toContain('line 59');
  expect(screens[1]).not.toContain('line 59');
  expect(screens[1]).toContain('line 40');
  expect(screens[2]).toContain('lines below');
});
