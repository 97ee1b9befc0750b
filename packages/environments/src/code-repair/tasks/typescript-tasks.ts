import { gives, throws, type RepairTask } from '../repair-task.ts';

const typescript = (task: Omit<RepairTask, 'language'>): RepairTask => ({ language: 'typescript', ...task });

export const TYPESCRIPT_TASKS: readonly RepairTask[] = [
  typescript({
    name: 'sort-numbers',
    entry: 'sortNumbers',
    report: '10 comes before 9.',
    broken: `export function sortNumbers(values: readonly number[]): number[] {
  return [...values].sort();
}
`,
    patch: ['.sort()', '.sort((a, b) => a - b)'],
    shown: gives([[10, 9]], [9, 10]),
    hidden: [
      gives([[3, 100, 20]], [3, 20, 100]),
      gives([[-1, -10, 0]], [-10, -1, 0]),
      gives([[]], []),
      gives([[2.5, 10, 1]], [1, 2.5, 10]),
    ],
  }),
  typescript({
    name: 'group-by',
    entry: 'groupByLength',
    report: 'Only the last word of each length is there.',
    broken: `export function groupByLength(words: readonly string[]): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const word of words) {
    groups[word.length] = [word];
  }
  return groups;
}
`,
    patch: ['groups[word.length] = [word];', '(groups[word.length] ??= []).push(word);'],
    shown: gives([['a', 'b']], { 1: ['a', 'b'] }),
    hidden: [
      gives([['one', 'two', 'three']], { 3: ['one', 'two'], 5: ['three'] }),
      gives([[]], {}),
      gives([['', 'x', '']], { 0: ['', ''], 1: ['x'] }),
      gives([['aa', 'b', 'cc', 'd']], { 1: ['b', 'd'], 2: ['aa', 'cc'] }),
    ],
    isRepository: true,
  }),
  typescript({
    name: 'clamp',
    entry: 'clamp',
    report: 'A limit of 0 is not kept.',
    broken: `interface Limits {
  low?: number;
  high?: number;
}

export function clamp(value: number, { low, high }: Limits): number {
  if (low && value < low) return low;
  if (high && value > high) return high;
  return value;
}
`,
    patch: [
      'if (low && value < low) return low;\n  if (high && value > high) return high;',
      'if (low !== undefined && value < low) return low;\n  if (high !== undefined && value > high) return high;',
    ],
    shown: gives([-5, { low: 0 }], 0),
    hidden: [
      gives([5, { high: 0 }], 0),
      gives([5, { low: 1, high: 3 }], 3),
      gives([-9, { low: -3 }], -3),
      gives([7, {}], 7),
      gives([2, { low: 0, high: 4 }], 2),
    ],
  }),
  typescript({
    name: 'deep-copy',
    entry: 'setPath',
    report: 'Setting a field also changes the object that was given.',
    broken: `type Tree = { [key: string]: unknown };

function withPath(tree: Tree, path: readonly string[], value: unknown): Tree {
  const [key = '', ...rest] = path;
  if (rest.length === 0) tree[key] = value;
  else tree[key] = withPath((tree[key] ?? {}) as Tree, rest, value);
  return tree;
}

/** The tree before and after. */
export function setPath(tree: Tree, path: readonly string[], value: unknown): [Tree, Tree] {
  const after = withPath(tree, path, value);
  return [tree, after];
}
`,
    patch: [
      `  if (rest.length === 0) tree[key] = value;
  else tree[key] = withPath((tree[key] ?? {}) as Tree, rest, value);
  return tree;`,
      `  if (rest.length === 0) return { ...tree, [key]: value };
  return { ...tree, [key]: withPath((tree[key] ?? {}) as Tree, rest, value) };`,
    ],
    shown: gives([{ a: 1 }, ['a'], 2], [{ a: 1 }, { a: 2 }]),
    hidden: [
      gives([{ a: { b: 1 } }, ['a', 'b'], 5], [{ a: { b: 1 } }, { a: { b: 5 } }]),
      gives([{}, ['x', 'y', 'z'], 0], [{}, { x: { y: { z: 0 } } }]),
      gives(
        [{ k: [1], m: {} }, ['m', 'n'], null],
        [
          { k: [1], m: {} },
          { k: [1], m: { n: null } },
        ],
      ),
    ],
  }),
  typescript({
    name: 'slugify',
    entry: 'slugify',
    report: 'Only the first space becomes a dash.',
    broken: `export function slugify(title: string): string {
  return title.trim().toLowerCase().replace(' ', '-').replace(/[^a-z0-9-]/g, '');
}
`,
    patch: [".replace(' ', '-')", ".replace(/\\s+/g, '-')"],
    shown: gives(['The old loom'], 'the-old-loom'),
    hidden: [
      gives(['  A  b\tc '], 'a-b-c'),
      gives(['One'], 'one'),
      gives(['What? Yes, 9 of them!'], 'what-yes-9-of-them'),
      gives([''], ''),
    ],
    isRepository: true,
  }),
  typescript({
    name: 'retry-all',
    entry: 'runSteps',
    report: 'The list of results comes before the steps are done, so it is empty. The order of the steps must be kept.',
    broken: `const later = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

export async function runSteps(delays: readonly number[]): Promise<string[]> {
  const results: string[] = [];
  delays.forEach(async (delay, index) => {
    await later(delay);
    results.push(\`step \${index}\`);
  });
  return results;
}
`,
    patch: [
      `  delays.forEach(async (delay, index) => {
    await later(delay);
    results.push(\`step \${index}\`);
  });`,
      `  for (const [index, delay] of delays.entries()) {
    await later(delay);
    results.push(\`step \${index}\`);
  }`,
    ],
    shown: gives([[2, 1]], ['step 0', 'step 1']),
    hidden: [
      gives([[9, 1, 4]], ['step 0', 'step 1', 'step 2']),
      gives([[]], []),
      gives([[1]], ['step 0']),
      gives([[5, 4, 3, 2]], ['step 0', 'step 1', 'step 2', 'step 3']),
    ],
  }),
  typescript({
    name: 'parse-duration',
    entry: 'parseDuration',
    report:
      '"1h30m" gives 3600 seconds: what follows the first part is not read. What is no duration to its end must throw a RangeError.',
    broken: `const SECONDS: Record<string, number> = { h: 3600, m: 60, s: 1 };

export function parseDuration(text: string): number {
  const match = /^(\\d+)([hms])/.exec(text);
  if (match === null) throw new RangeError(\`\${text} is no duration\`);
  return Number(match[1]) * (SECONDS[match[2] ?? ''] ?? 0);
}
`,
    patch: [
      `  const match = /^(\\d+)([hms])/.exec(text);
  if (match === null) throw new RangeError(\`\${text} is no duration\`);
  return Number(match[1]) * (SECONDS[match[2] ?? ''] ?? 0);`,
      `  if (!/^(\\d+[hms])+$/.test(text)) throw new RangeError(\`\${text} is no duration\`);
  return [...text.matchAll(/(\\d+)([hms])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * (SECONDS[unit ?? ''] ?? 0), 0);`,
    ],
    shown: gives(['1h30m'], 5400),
    hidden: [
      gives(['45s'], 45),
      gives(['2h'], 7200),
      gives(['1h1m1s'], 3661),
      gives(['10m5s'], 605),
      throws(['soon'], 'RangeError'),
      throws([''], 'RangeError'),
    ],
  }),
  typescript({
    name: 'paginate',
    entry: 'paginate',
    report:
      'Page 1 begins with the second page of items, and the number of pages is too small by one where the last is not full.',
    broken: `interface Page {
  items: unknown[];
  pages: number;
}

/** Pages are counted from 1. */
export function paginate(all: readonly unknown[], page: number, size: number): Page {
  const start = page * size;
  return { items: all.slice(start, start + size), pages: Math.floor(all.length / size) };
}
`,
    patch: [
      `  const start = page * size;
  return { items: all.slice(start, start + size), pages: Math.floor(all.length / size) };`,
      `  const start = (page - 1) * size;
  return { items: all.slice(start, start + size), pages: Math.ceil(all.length / size) };`,
    ],
    shown: gives([[1, 2, 3], 1, 2], { items: [1, 2], pages: 2 }),
    hidden: [
      gives([[1, 2, 3], 2, 2], { items: [3], pages: 2 }),
      gives([[1, 2, 3, 4], 2, 2], { items: [3, 4], pages: 2 }),
      gives([[], 1, 5], { items: [], pages: 0 }),
      gives([['a'], 3, 1], { items: [], pages: 1 }),
    ],
    isRepository: true,
  }),
  typescript({
    name: 'compare-versions',
    entry: 'compareVersions',
    report: '1.10.0 is taken for older than 1.9.0.',
    broken: `/** -1 when a is older, 1 when it is newer, 0 when they are equal; missing parts are 0. */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
`,
    patch: [
      `  if (a === b) return 0;
  return a < b ? -1 : 1;`,
      `  const [left, right] = [a, b].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (let part = 0; part < Math.max(left.length, right.length); part += 1) {
    const difference = (left[part] ?? 0) - (right[part] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;`,
    ],
    shown: gives(['1.10.0', '1.9.0'], 1),
    hidden: [
      gives(['1.0', '1.0.0'], 0),
      gives(['2.0.0', '10.0.0'], -1),
      gives(['1.2.3', '1.2.3'], 0),
      gives(['0.9', '0.10'], -1),
      gives(['3.0.1', '3'], 1),
    ],
  }),
  typescript({
    name: 'unique-by',
    entry: 'uniqueBy',
    report:
      'Two different records with ids 1 and "1" should both stay, and one is lost; the first of equal ones should stay, and it is the last.',
    broken: `type Item = Record<string, unknown>;

export function uniqueBy(items: readonly Item[], key: string): Item[] {
  const seen: Record<string, Item> = {};
  for (const item of items) seen[String(item[key])] = item;
  return Object.values(seen);
}
`,
    patch: [
      `  const seen: Record<string, Item> = {};
  for (const item of items) seen[String(item[key])] = item;
  return Object.values(seen);`,
      `  const seen = new Map<unknown, Item>();
  for (const item of items) if (!seen.has(item[key])) seen.set(item[key], item);
  return [...seen.values()];`,
    ],
    shown: gives(
      [
        [
          { id: 1, n: 'a' },
          { id: 1, n: 'b' },
        ],
        'id',
      ],
      [{ id: 1, n: 'a' }],
    ),
    hidden: [
      gives([[{ id: 1 }, { id: '1' }], 'id'], [{ id: 1 }, { id: '1' }]),
      gives([[{ k: 'b' }, { k: 'a' }, { k: 'b', z: 1 }], 'k'], [{ k: 'b' }, { k: 'a' }]),
      gives([[], 'id'], []),
      gives([[{ id: 9 }, { id: 3 }, { id: 9, x: 0 }], 'id'], [{ id: 9 }, { id: 3 }]),
    ],
  }),
  typescript({
    name: 'sum-range',
    entry: 'sumRange',
    report: 'The last number of the range is left out, and a range that goes down gives 0.',
    broken: `/** The sum of all whole numbers from one to the other, both included. */
export function sumRange(from: number, to: number): number {
  let sum = 0;
  for (let value = from; value < to; value += 1) sum += value;
  return sum;
}
`,
    patch: [
      'for (let value = from; value < to; value += 1) sum += value;',
      'for (let value = Math.min(from, to); value <= Math.max(from, to); value += 1) sum += value;',
    ],
    shown: gives([1, 3], 6),
    hidden: [gives([3, 1], 6), gives([5, 5], 5), gives([-2, 2], 0), gives([1, 100], 5050), gives([10, 8], 27)],
  }),
];
