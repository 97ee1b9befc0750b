import { describe, expect, it } from 'vitest';

import { pickScenarios } from './load-suites.ts';
import { parseScenarioCommand } from './parse-command.ts';

const run = async (): Promise<void> => {};
const suite = {
  name: 'atropos',
  scenarios: [
    { name: 'transcript', title: '', run },
    { name: 'edges', title: '', run },
  ],
};

describe('parseScenarioCommand', () => {
  it('reads kind, suites, single scenarios and switches in any order', () => {
    expect(parseScenarioCommand(['conformance', '--full', 'atropos/edges', 'other', '--json'])).toEqual({
      kind: 'conformance',
      wanted: [
        { suite: 'atropos', scenario: 'edges' },
        { suite: 'other', scenario: undefined },
      ],
      full: true,
      list: false,
      json: true,
    });
  });

  it('refuses a kind or a switch it does not know', () => {
    expect(() => parseScenarioCommand(['opera'])).toThrow(/conformance, e2e, chaos, bench/);
    expect(() => parseScenarioCommand(['bench', '--fast'])).toThrow(/--fast/);
  });
});

describe('pickScenarios', () => {
  it('keeps the order of the suite', () => {
    const { wanted } = parseScenarioCommand(['conformance', 'atropos/edges', 'atropos/transcript']);
    expect(pickScenarios(suite, wanted)?.map((scenario) => scenario.name)).toEqual(['transcript', 'edges']);
    expect(pickScenarios(suite, [])).toBe(suite.scenarios);
  });

  it('knows when a scenario is not there', () => {
    expect(pickScenarios(suite, [{ suite: 'atropos', scenario: 'opera' }])).toBeUndefined();
  });
});
