import { describe, expect, it } from 'vitest';

import { pickShows } from './load-suites.ts';
import { parseShowCommand } from './parse-command.ts';

const run = async (): Promise<void> => {};
const suite = {
  name: 'atropos',
  shows: [
    { name: 'transcript', title: '', run },
    { name: 'edges', title: '', run },
  ],
};

describe('parseShowCommand', () => {
  it('reads kind, suites, single shows and switches in any order', () => {
    expect(parseShowCommand(['conformance', '--full', 'atropos/edges', 'other', '--json'])).toEqual({
      kind: 'conformance',
      wanted: [
        { suite: 'atropos', show: 'edges' },
        { suite: 'other', show: undefined },
      ],
      full: true,
      list: false,
      json: true,
    });
  });

  it('refuses a kind or a switch it does not know', () => {
    expect(() => parseShowCommand(['opera'])).toThrow(/conformance, e2e, chaos, bench/);
    expect(() => parseShowCommand(['bench', '--fast'])).toThrow(/--fast/);
  });
});

describe('pickShows', () => {
  it('keeps the order of the suite', () => {
    const { wanted } = parseShowCommand(['conformance', 'atropos/edges', 'atropos/transcript']);
    expect(pickShows(suite, wanted)?.map((show) => show.name)).toEqual(['transcript', 'edges']);
    expect(pickShows(suite, [])).toBe(suite.shows);
  });

  it('knows when a show is not there', () => {
    expect(pickShows(suite, [{ suite: 'atropos', show: 'opera' }])).toBeUndefined();
  });
});
