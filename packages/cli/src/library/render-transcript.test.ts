import { expect, test } from 'vitest';
import { formatAge } from '../terminal/format-duration.ts';
import { renderList } from './render-list.ts';
import { renderTranscript } from './render-transcript.ts';
import { createPaint, wantsColour } from '../terminal/paint.ts';
import { textWidth } from '../terminal/text-width.ts';
import { makeDetail, makeSummary, makeToolRun, makeTurn } from './trajectories.fixture.ts';

const plain = createPaint(false);
const render = (detail = makeToolRun(), showThinking = false): string =>
  renderTranscript(detail, { paint: plain, columns: 60, showThinking });

test('a transcript shows who said what, folds thinking, and has tools in a line each', () => {
  const text = render();
  expect(text).toContain('▸ thinking, 7 words: I should look it up. Then answer.');
  expect(text).toContain('→ weather({"city": "Paris"})');
  expect(text).toContain('← {"sky": "clear"}');
  expect(text).toContain('── turn 1');
  expect(text.indexOf('user')).toBeLessThan(text.indexOf('Sunny.'));
  expect(text).not.toContain('<think>');
});

test('thinking unfolds when it is asked for', () => {
  expect(render(makeToolRun(), true)).toContain('▾ thinking\n  I should look it up.\n  Then answer.');
});

test('a long result is cut to its first lines, and says how many are left', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n');
  const detail = makeDetail([makeTurn(0, [{ role: 'tool', content: lines }], { role: 'assistant', content: 'ok' })]);
  expect(render(detail)).toContain('… 17 more lines');
  const whole = renderTranscript(detail, { paint: plain, columns: 60, showThinking: false, showResults: true });
  expect(whole).toContain('line 19');
});

test('forks, errors, broken replies and lost records are told', () => {
  const detail = makeDetail([
    makeTurn(0, [{ role: 'user', content: 'a' }], { role: 'assistant', content: 'b' }),
    makeTurn(1, [{ role: 'user', content: 'c' }], undefined, {
      parent_index: null,
      state: 'failed',
      error: { message: 'too\u001B[31m much', status: 429 },
    }),
    makeTurn(2, [], { role: 'assistant', content: 'half' }, { state: 'interrupted' }),
  ]);
  const text = render({ ...detail, gaps: [{ recorder: 'app', from: 3, to: 4 }] });
  expect(text).toContain('begins anew');
  expect(text).toContain('✗ failed 429: too much');
  expect(text).toContain('the reply broke off here');
  expect(text).toContain('records 3 to 4 of app never arrived');
});

test('no line of a transcript is wider than the terminal', () => {
  const detail = makeDetail([
    makeTurn(0, [{ role: 'user', content: '天気'.repeat(100) }], {
      role: 'assistant',
      content: `${'word '.repeat(60)}${'x'.repeat(200)}`,
      tool_calls: [{ function: { name: 'look', arguments: 'y'.repeat(300) } }],
    }),
  ]);
  const body = render(detail).split('\n').slice(3);
  expect(Math.max(...body.map(textWidth))).toBeLessThanOrEqual(60);
});

test('a list keeps its columns straight with wide letters in the task', () => {
  const rows = [makeSummary({ title: '天気'.repeat(40), rating: 1 }), makeSummary({ title: 'short', error_count: 1 })];
  const text = renderList(rows, { paint: plain, columns: 100, now: 90_000 });
  expect(Math.max(...text.split('\n').map(textWidth))).toBeLessThanOrEqual(100);
  expect(text).toContain('✗ short');
  expect(text).toContain(' 90s');
  expect([5_000, 600_000, 7_200_000, 864_000_000].map(formatAge)).toEqual(['5s', '10m', '2h', '10d']);
});

test('a list says how long each took, where that is known', () => {
  const ends = [0, 140, 3_000].map((updated_at) => makeSummary({ updated_at }));
  const rows = [...ends, makeSummary({ updated_at: 9_000_000, ended_at: 120_000 })];
  const lines = renderList(rows, { paint: plain, columns: 100, now: 0 }).split('\n');
  expect(lines[0]).toMatch(/age   took   turns/);
  expect(lines.slice(1, 5).map((line) => line.slice(44, 49))).toEqual(['    -', '140ms', '   3s', '   2m']);
});

test('colours are for those who look', () => {
  expect(createPaint(true).red('a')).toBe('\u001B[31ma\u001B[39m');
  expect([{ isTTY: true }, { isTTY: false }].map((stream) => wantsColour(stream, {}))).toEqual([true, false]);
  expect(wantsColour({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
  expect(wantsColour({ isTTY: false }, { FORCE_COLOR: '1' })).toBe(true);
});
