import type { TerminalTask } from '../terminal-task.ts';
import { byBytes, lines, pickWords, repeat } from '../words.ts';

/** Read columns and records, and write others. */
export const tables: readonly TerminalTask[] = [
  {
    name: 'csv-total',
    make: (random) => {
      const rows = pickWords(random, 20).map((name) => [name, random.integer(1, 9), random.integer(5, 400)] as const);
      const total = rows.reduce((sum, [, count, price]) => sum + count * price, 0);
      return {
        instruction:
          'orders.csv has the columns name,count,price. Write the sum of count times price over all orders to total.txt.',
        files: { 'orders.csv': lines(['name,count,price', ...rows.map((row) => row.join(','))]) },
        check: { kind: 'files', files: { 'total.txt': String(total) } },
        solution: `awk -F, 'NR > 1 { sum += $2 * $3 } END { print sum }' orders.csv > total.txt`,
      };
    },
  },
  {
    name: 'csv-by-region',
    make: (random) => {
      const regions = pickWords(random, 4);
      const rows = repeat(30, () => [random.pick(regions), random.integer(1, 99)] as const);
      const sums = [...new Set(rows.map(([region]) => region))]
        .toSorted(byBytes)
        .map(
          (region) =>
            `${region},${rows.filter((row) => row[0] === region).reduce((sum, [, amount]) => sum + amount, 0)}`,
        );
      return {
        instruction:
          'sales.csv has the columns region,amount. Write report.csv with the header region,total and one line for each region, regions in alphabetical order.',
        files: { 'sales.csv': lines(['region,amount', ...rows.map((row) => row.join(','))]) },
        check: { kind: 'files', files: { 'report.csv': lines(['region,total', ...sums]) } },
        solution: `{ echo region,total; awk -F, 'NR > 1 { sum[$1] += $2 } END { for (name in sum) print name "," sum[name] }' sales.csv | LC_ALL=C sort; } > report.csv`,
      };
    },
  },
  {
    name: 'first-of-each-line',
    make: (random) => {
      const words = pickWords(random, 8);
      const rows = repeat(40, () => random.pick(words));
      return {
        instruction: 'Write the lines of list.txt to unique.txt, each only where it comes first, and in that order.',
        files: { 'list.txt': lines(rows) },
        check: { kind: 'files', files: { 'unique.txt': lines([...new Set(rows)]) } },
        solution: `awk '!seen[$0]++' list.txt > unique.txt`,
      };
    },
  },
  {
    name: 'slowest-call',
    make: (random) => {
      const paths = pickWords(random, 4).map((word) => `/${word}`);
      const times = random.shuffle(repeat(28, (at) => 11 + at * 7));
      const calls = times.map((time, at) => ({ path: paths[at % 4] ?? '', time }));
      const slowest = paths
        .toSorted(byBytes)
        .map((path) => `${path} ${Math.max(...calls.filter((call) => call.path === path).map(({ time }) => time))}`);
      return {
        instruction:
          'A line of calls.log looks like "GET /path took=123ms". For each path, in alphabetical order, write "path milliseconds" of its slowest call to slowest.txt.',
        files: { 'calls.log': lines(calls.map(({ path, time }) => `GET ${path} took=${time}ms`)) },
        check: { kind: 'files', files: { 'slowest.txt': lines(slowest) } },
        solution: `sed 's/GET \\([^ ]*\\) took=\\([0-9]*\\)ms/\\1 \\2/' calls.log | awk '$2 > most[$1] { most[$1] = $2 } END { for (path in most) print path, most[path] }' | LC_ALL=C sort > slowest.txt`,
      };
    },
  },
  {
    name: 'active-names',
    make: (random) => {
      const people = pickWords(random, 14).map((name, at) => ({
        name,
        active: at === 0 || random.next() < 0.5,
        tags: [`active:${at}`],
      }));
      return {
        instruction:
          'people.json is a list of objects. Write the name of each whose field active is true to names.txt, one a line, in alphabetical order.',
        files: { 'people.json': `${JSON.stringify(people)}\n` },
        check: {
          kind: 'files',
          files: {
            'names.txt': lines(
              people
                .filter(({ active }) => active)
                .map(({ name }) => name)
                .toSorted(byBytes),
            ),
          },
        },
        solution: `tr '{' '\\n' < people.json | grep '"active":true' | sed 's/.*"name":"\\([a-z]*\\)".*/\\1/' | LC_ALL=C sort > names.txt`,
      };
    },
  },
  {
    name: 'merge-numbers',
    make: (random) => {
      const lists = repeat(3, () => repeat(15, () => random.integer(1, 120)).toSorted((a, b) => a - b));
      const [a = '', b = '', c = ''] = pickWords(random, 3);
      const all = [...new Set(lists.flat())].toSorted((x, y) => x - y);
      return {
        instruction: 'Merge the numbers of in/*.txt into merged.txt: each once, the smallest first, one a line.',
        files: Object.fromEntries([a, b, c].map((name, at) => [`in/${name}.txt`, lines(lists[at] ?? [])])),
        check: { kind: 'files', files: { 'merged.txt': lines(all) } },
        solution: 'sort -nu in/*.txt > merged.txt',
      };
    },
  },
  {
    name: 'transpose',
    make: (random) => {
      const [height, width] = [random.integer(4, 6), random.integer(3, 5)];
      const grid = repeat(height, () => repeat(width, () => random.integer(10, 99)));
      return {
        instruction: 'table.tsv has columns separated by tabs. Write it to turned.tsv with rows and columns exchanged.',
        files: { 'table.tsv': lines(grid.map((row) => row.join('\t'))) },
        check: {
          kind: 'files',
          files: { 'turned.tsv': lines(repeat(width, (x) => grid.map((row) => row[x]).join('\t'))) },
        },
        solution: `awk -F'\\t' '{ for (i = 1; i <= NF; i++) row[i] = row[i] (NR > 1 ? "\\t" : "") $i } END { for (i = 1; i <= NF; i++) print row[i] }' table.tsv > turned.tsv`,
      };
    },
  },
];
