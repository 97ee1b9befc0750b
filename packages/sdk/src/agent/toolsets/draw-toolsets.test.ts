import { expect, test } from 'vitest';
import { chooseToolsets } from './choose-toolsets.ts';
import { drawToolsets } from './draw-toolsets.ts';
import { STANDARD_TOOLSETS, sortIntoToolsets } from './standard-toolsets.ts';
import { TOOLSET_DISTRIBUTIONS, type ToolsetDistribution } from './toolset-distributions.ts';

/** mulberry32: the same numbers on every machine. */
function createNext(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const DRAWS = 20_000;
/** A right coin is further off than this once in 500,000 times. */
const SIGMAS = 4.8;

/** The chance that a toolset is in a draw: its coin, or no coin at all and it is the likeliest. */
function computeChance(chances: ToolsetDistribution, toolset: string): number {
  const entries = Object.entries(chances);
  const none = entries.reduce((product, [, percent]) => product * (1 - percent / 100), 1);
  const highest = Math.max(...entries.map(([, percent]) => percent));
  const isLikeliest = entries.find(([, percent]) => percent === highest)?.[0] === toolset;
  return (chances[toolset] ?? 0) / 100 + (isLikeliest ? none : 0);
}

test('there are seventeen distributions, and each names standard toolsets', () => {
  expect(Object.keys(TOOLSET_DISTRIBUTIONS)).toHaveLength(17);
  for (const chances of Object.values<ToolsetDistribution>(TOOLSET_DISTRIBUTIONS)) {
    expect(Object.keys(STANDARD_TOOLSETS)).toEqual(expect.arrayContaining(Object.keys(chances)));
  }
});

test.each(Object.entries<ToolsetDistribution>(TOOLSET_DISTRIBUTIONS))(
  '%s: each toolset comes up as often as its chance says, and on its own',
  (distribution, chances) => {
    const next = createNext(8);
    const counts = new Map<string, number>();
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const drawn = drawToolsets({ distribution, next });
      if (drawn.length === 0) counts.set('nothing', (counts.get('nothing') ?? 0) + 1);
      for (const a of drawn) {
        counts.set(a, (counts.get(a) ?? 0) + 1);
        for (const b of drawn) if (a < b) counts.set(`${a} ${b}`, (counts.get(`${a} ${b}`) ?? 0) + 1);
      }
    }
    expect(counts.get('nothing')).toBeUndefined();
    const isNear = (key: string, chance: number): boolean =>
      Math.abs((counts.get(key) ?? 0) - DRAWS * chance) <= SIGMAS * Math.sqrt(DRAWS * chance * (1 - chance)) + 1e-9;
    for (const a of Object.keys(chances)) {
      expect([a, isNear(a, computeChance(chances, a))]).toEqual([a, true]);
      // Two are only ever together by their coins: who comes in for want of others comes alone.
      for (const b of Object.keys(chances).filter((other) => a < other)) {
        expect([a, b, isNear(`${a} ${b}`, ((chances[a] ?? 0) * (chances[b] ?? 0)) / 10_000)]).toEqual([a, b, true]);
      }
    }
  },
);

test('the same seed draws the same, and what is not available does not change the rest', () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const whole = drawToolsets({ distribution: 'balanced', next: createNext(seed) });
    expect(drawToolsets({ distribution: 'balanced', next: createNext(seed) })).toEqual(whole);
    const skipped: string[] = [];
    const available = ['terminal', 'file'];
    const part = drawToolsets({
      distribution: 'balanced',
      next: createNext(seed),
      available,
      onSkip: (toolset) => skipped.push(toolset),
    });
    const kept = whole.filter((toolset) => available.includes(toolset));
    expect(part).toEqual(kept.length > 0 ? kept : ['terminal']);
    expect(skipped).toEqual(['web', 'vision', 'image_gen', 'browser']);
  }
});

test('when no coin comes up the likeliest is taken', () => {
  expect(drawToolsets({ distribution: { a: 10, b: 30, c: 30 }, next: () => 0.999 })).toEqual(['b']);
  expect(drawToolsets({ distribution: { a: 10 }, next: () => 0.999, available: [] })).toEqual([]);
});

test('distributions of one’s own go before ours, and a wrong one is refused with what is wrong', () => {
  const distributions = { minimal: { terminal: 100 }, mine: { file: 100 } };
  expect(drawToolsets({ distribution: 'minimal', distributions, next: () => 0.5 })).toEqual(['terminal']);
  expect(drawToolsets({ distribution: 'mine', distributions, next: () => 0.5 })).toEqual(['file']);
  expect(() => drawToolsets({ distribution: 'none', next: () => 0.5 })).toThrow('There is no distribution "none".');
  for (const percent of [Number.NaN, -1, 101]) {
    expect(() => drawToolsets({ distribution: { a: percent }, next: () => 0.5 })).toThrow(`a chance of ${percent}`);
  }
});

const tool = (name: string): { name: string } => ({ name });
const toolsets = {
  web: [tool('web_search')],
  browser: [tool('browser_click'), tool('web_search')],
  file: [tool('patch')],
};

test('toolsets are those that are enabled and not disabled, and each tool comes once', () => {
  const names = (options: Omit<Parameters<typeof chooseToolsets>[0], 'toolsets'>): string[] =>
    chooseToolsets({ toolsets, ...options }).tools.map(({ name }) => name);
  expect(names({})).toEqual(['web_search', 'browser_click', 'patch']);
  expect(names({ enabled: ['file'] })).toEqual(['patch']);
  expect(names({ enabled: [] })).toEqual([]);
  expect(names({ disabled: ['browser'] })).toEqual(['web_search', 'patch']);
  expect(names({ enabled: ['file', 'web'], disabled: ['web'] })).toEqual(['patch']);
  expect(() => names({ enabled: ['shell'] })).toThrow(
    'There is no toolset "shell" here. There are: web, browser, file.',
  );
});

test('a draw takes the place of what is enabled, and not of what is disabled', () => {
  const chosen = chooseToolsets({
    toolsets,
    enabled: ['file'],
    disabled: ['browser'],
    draw: { distribution: 'default', next: () => 0 },
  });
  expect(chosen.toolsets).toEqual(['web', 'file']);
});

test('tools are sorted into the toolsets they belong to', () => {
  const tools = ['web_search', 'patch', 'mine'].map(tool);
  expect(sortIntoToolsets(tools)).toEqual({
    web: [tool('web_search')],
    file: [tool('patch')],
    browser: [tool('web_search')],
  });
});
