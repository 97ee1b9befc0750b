import { homedir } from 'node:os';
import { describe, expect, test } from 'vitest';

import { newestEvidence, toEvidence, type EvidenceLine } from './evidence-line.ts';
import { planShows, type Show } from './plan-shows.ts';
import { fillQuotes, findUnproved, writeEvidencePage } from './write-pages.ts';

const shows: Show[] = [
  { kind: 'e2e', name: 'learns/copy', title: '' },
  { kind: 'e2e', name: 'learns/larger', title: '' },
  { kind: 'bench', name: 'batch/speed', title: '' },
];

function line(show: string, figure: string, rest: Partial<EvidenceLine> = {}): EvidenceLine {
  const run = { show, commit: 'aaaaaaaaaa', date: '2026-11-17T10:00:00.000Z', machine: '2 cores', seconds: 3 };
  return { ...toEvidence({ name: 'gain', figure, bar: '≥ 0.8', ok: true }, run, '/clone/'), ...rest };
}

describe('planShows', () => {
  const plan = (rest: Partial<Parameters<typeof planShows>[0]>) =>
    planShows({ shows, wanted: [], lines: [], isSameTree: () => false, onlyMissing: false, ...rest });

  test('what has lines of this tree is left out, what has lines of another is run again', () => {
    const lines = [line('e2e/learns/copy', '0.9', { commit: 'now' }), line('e2e/learns/larger', '0.9')];
    expect(plan({ lines, isSameTree: (commit) => commit === 'now' })).toEqual(shows.slice(1));
    expect(plan({ lines, onlyMissing: true })).toEqual(shows.slice(2));
  });

  test('takes whole words of a name and refuses one that is not there', () => {
    expect(plan({ wanted: ['e2e/learns'] })).toEqual(shows.slice(0, 2));
    expect(plan({ wanted: ['bench'] })).toEqual(shows.slice(2));
    expect(plan({ wanted: ['e2e/learn'] })).toBeUndefined();
  });
});

test('a line keeps the seed and one line of a long figure', () => {
  expect(line('e2e/learns/copy', '0.95\n of 8 (SEED=4979157)')).toMatchObject({
    figure: '0.95 of 8 (SEED=4979157)',
    seed: '4979157',
    verdict: 'ok',
  });
});

test.each([
  ['bad: seed 19 0.27 to 0.48 in 60 steps', '19'],
  ['seeds 1, 2, 3 pass', '1, 2, 3'],
  ['seed 7, 0.5 held out', '7'],
  ['no seed at all', null],
])('of "%s" the seed is %s', (figure, seed) => {
  expect(line('e2e/learns/copy', figure).seed).toBe(seed);
});

test('a line does not say where its clone or the home of its user lies', () => {
  expect(line('e2e/learns/copy', 'threw Error: /clone/test/a.py ended').figure).toBe('threw Error: test/a.py ended');
  expect(line('e2e/learns/copy', `with ${homedir()}/bin/python`).figure).toBe('with ~/bin/python');
});

test('a thing that the newest run of a show no longer says is not among the newest', () => {
  const later = '2026-11-18T10:00:00.000Z';
  const lines = [
    line('e2e/learns/copy', '0.8'),
    line('e2e/learns/copy', 'gone', { name: 'old name' }),
    line('e2e/learns/copy', '0.9', { date: later }),
  ];
  expect(newestEvidence(lines).map(({ figure }) => figure)).toEqual(['0.9']);
});

describe('pages', () => {
  const quote = (figure: string): string =>
    `held out <!-- evidence e2e/learns/copy: gain -->${figure}<!-- /evidence -->.`;

  test('a quote is filled with the newest figure, and one that is in no line is found', () => {
    const lines = [line('e2e/learns/copy', '0.91')];
    expect(fillQuotes(quote('?'), lines)).toBe(quote('0.91'));
    expect(findUnproved(quote('0.91'), lines)).toEqual([]);
    expect(findUnproved(quote('0.99'), lines)).toEqual(['e2e/learns/copy: gain: 0.99']);
  });

  test('what fell short stands first', () => {
    const page = writeEvidencePage([
      line('e2e/learns/copy', '0.91'),
      line('bench/batch/speed', '2×', { verdict: 'short' }),
    ]);
    expect(page).toContain('2 shows, 2 lines: 1 ok, 1 short, 0 not run.');
    expect(page.indexOf('## Fell short')).toBeLessThan(page.indexOf('## e2e'));
  });
});
