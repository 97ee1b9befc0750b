import fc from 'fast-check';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { createPaint } from '../terminal/paint.ts';
import { textWidth } from '../terminal/text-width.ts';
import { renderRun } from './render-run.ts';
import { renderRuns } from './render-runs.ts';
import { renderWhy } from './render-why.ts';
import { makeRun, STARTED_AT } from './run.fixture.ts';
import { toSeries } from './run-view.ts';

const paint = createPaint(false);
const options = { paint, columns: 80, now: STARTED_AT + 20_000 };
const history = [1, 2, 3].map((step) => ({
  ...{ step, 'reward/mean': step / 4, 'train/loss': -step, 'time/step': 2, 'train/staleness_mean': 0.5 },
}));

it('shows state, progress with what is left, rewards, staleness and processes', () => {
  const text = renderRun({ status: makeRun(), series: toSeries(history) }, options).join('\n');
  expect(text).toContain('run k3v9x2ab  running  20 s  digits');
  // 30 steps of 2 seconds.
  expect(text).toContain('step 10/40  25 %  left 1 min 00 s');
  expect(text).toMatch(/reward +0\.750 {2}▁▅█ {2}0\.250 to 0\.750/);
  expect(text).toMatch(/staleness +0\.500/);
  expect(text).toContain('trainer   running  pid 101  port 8001');
  expect(text).not.toContain('failures');
});

it('names what goes wrong: restarts, alarms, what holds it up, a server that is away', () => {
  const env = { role: 'env', state: 'dead', pid: 9, port: null, restarts: 2, log: '', reason: 'exit code 1' } as const;
  const why = {
    ...{ run_id: 'k3v9x2ab', status: 'running', cause: 'engine-down' as const, message: 'The engine is down.' },
    ...{ hint: 'Start it.', waits: [], event_loop_lag: {} },
  };
  const series = toSeries([{ step: 7, 'numerics/alarms': 1, 'train/dead_groups': 2, 'train/groups': 8 }]);
  const status = makeRun({ process_details: [env] });
  const text = renderRun({ status, series, why, awayMs: 4_000 }, { ...options, columns: 120 }).join('\n');
  expect(text).toContain('env       dead     started again 2 times  exit code 1');
  expect(text).toContain('failures  2 restarts, numbers out of bounds at step 7, 2 of 8 groups without a signal');
  expect(text).toContain('held up   The engine is down.\n          Start it.');
  expect(text).toContain('has not answered for 4 s');
});

it('has no time left and nothing that holds it up once it has ended', () => {
  const status = makeRun({ status: 'failed', reason: 'no engine', ended_at: STARTED_AT + 5_000 });
  const text = renderRun({ status, series: toSeries(history) }, options).join('\n');
  expect(text).toContain('failed  5 s');
  expect(text).toContain('no engine');
  expect(text).not.toContain('left');
});

it('lets nothing that a run says act on the terminal, and no line is wider than the screen', () => {
  const words = fc.string({ unit: 'grapheme', maxLength: 200 });
  fc.assert(
    fc.property(words, words, fc.integer({ min: 60, max: 200 }), (name, reason, columns) => {
      const evil = `${name}\u001B]0;title\u0007\u001B[2J`;
      const process = { ...makeRun().process_details[0]!, restarts: 1, reason: reason + evil };
      const status = makeRun({ environment: evil, reason: evil + reason, process_details: [process] });
      const now = STARTED_AT + 90_000_000;
      const lines = [
        ...renderRun({ status, series: toSeries(history) }, { paint, columns, now }),
        ...renderRuns([status], { paint, columns, now }).split('\n'),
      ];
      for (const line of lines) {
        expect(line).not.toMatch(/\p{Control}/u);
        expect(textWidth(line)).toBeLessThanOrEqual(columns);
      }
    }),
  );
});

it('draws the same text with and without colours', () => {
  const view = { status: makeRun({ reason: 'x' }), series: toSeries(history) };
  const coloured = renderRun(view, { ...options, paint: createPaint(true) });
  expect(coloured.map(stripVTControlCharacters)).toEqual(renderRun(view, options));
});

it('says who waits for whom, since when and holding what', () => {
  const lines = renderWhy(
    {
      ...{ run_id: 'k3v9x2ab', status: 'running', cause: 'inference-refuses', message: 'It answers 429.', hint: null },
      waits: [{ who: 'trainer', waits_for: 'batch', since: STARTED_AT, holding: 'a lease', detail: '3 of 8' }],
      event_loop_lag: { trainer: 1.5, env: null },
    },
    options,
  );
  expect(lines).toContain('  trainer waits for batch for 20 s, holding a lease: 3 of 8');
  expect(lines.at(-1)).toBe('event loops are late by: trainer 1.500 ms, env does not say');
});
