import type { ExpectedEntry, TerminalTask } from '../terminal-task.ts';
import { lines, pad, pickWords, repeat } from '../words.ts';

/** Change what is there: names, places, permissions, texts. What should stay is part of the check. */
export const folders: readonly TerminalTask[] = [
  {
    name: 'rename-extension',
    make: (random) => {
      const names = pickWords(random, 8);
      const text = (name: string): string => `about ${name}, see ${name}.txt\n`;
      const isNote = (at: number): boolean => at % 3 !== 2;
      return {
        instruction:
          'Rename every file *.txt in notes, also in its folders, to *.md. The texts stay as they are, and so do other files.',
        files: Object.fromEntries(
          names.map((name, at) => [
            `notes/${at % 2 === 0 ? 'old/' : ''}${name}${isNote(at) ? '.txt' : '.txt.bak'}`,
            text(name),
          ]),
        ),
        check: {
          kind: 'tree',
          root: 'notes',
          entries: Object.fromEntries(
            names.map((name, at) => [
              `${at % 2 === 0 ? 'old/' : ''}${name}${isNote(at) ? '.md' : '.txt.bak'}`,
              { text: text(name) },
            ]),
          ),
        },
        solution: `find notes -name '*.txt' | while read -r path; do mv "$path" "\${path%.txt}.md"; done`,
      };
    },
  },
  {
    name: 'fix-permissions',
    make: (random) => {
      const names = pickWords(random, 9);
      const kinds = [
        { ending: '.sh', right: 0o755 },
        { ending: '.txt', right: 0o644 },
        { ending: '.key', right: 0o600 },
      ];
      const files = names.map((name, at) => {
        const { ending, right } = kinds[at % 3]!;
        return { path: `${name}${ending}`, right, wrong: at < 3 ? 0o664 : random.pick([0o644, 0o600, 0o755, 0o666]) };
      });
      return {
        instruction:
          'Set the permissions of the files in site: *.sh are 755, *.txt are 644, *.key are 600. The texts stay as they are.',
        files: Object.fromEntries(files.map(({ path, wrong }) => [`site/${path}`, { text: `${path}\n`, mode: wrong }])),
        check: {
          kind: 'tree',
          root: 'site',
          entries: Object.fromEntries(files.map(({ path, right }) => [path, { text: `${path}\n`, mode: right }])),
        },
        solution: 'chmod 755 site/*.sh && chmod 644 site/*.txt && chmod 600 site/*.key',
      };
    },
  },
  {
    name: 'delete-empty',
    make: (random) => {
      const paths = pickWords(random, 10).map((name, at) => `${at % 2 === 0 ? 'deep/er/' : ''}${name}`);
      const isEmpty = paths.map((_, at) => at === 1 || at === 4 || (at > 5 && random.next() < 0.4));
      const text = (at: number): string => (isEmpty[at] === true ? '' : at % 3 === 0 ? '\n' : `${paths[at]}\n`);
      const kept = paths.flatMap((path, at) => (isEmpty[at] === true ? [] : [[path, { text: text(at) }] as const]));
      return {
        instruction:
          'Delete the files of no bytes in box and its folders. A file with one line end is not empty. Keep all others.',
        files: Object.fromEntries(paths.map((path, at) => [`box/${path}`, text(at)])),
        check: { kind: 'tree', root: 'box', entries: Object.fromEntries(kept) },
        solution: 'find box -type f -size 0 -delete',
      };
    },
  },
  {
    name: 'split-by-customer',
    make: (random) => {
      const customers = pickWords(random, 4);
      const rows = repeat(24, (at) => `${customers[at < 4 ? at : random.integer(0, 3)]},${random.integer(1, 500)}`);
      return {
        instruction:
          'orders.csv has lines of customer,amount and no header. Make a folder by-customer with a file <customer>.csv for each, which holds the lines of that customer in their order.',
        files: { 'orders.csv': lines(rows) },
        check: {
          kind: 'tree',
          root: 'by-customer',
          entries: Object.fromEntries(
            customers.map((name) => [`${name}.csv`, { text: lines(rows.filter((row) => row.startsWith(`${name},`))) }]),
          ),
        },
        solution: `mkdir -p by-customer && awk -F, '{ print > ("by-customer/" $1 ".csv") }' orders.csv`,
      };
    },
  },
  {
    name: 'change-port',
    make: (random) => {
      const [before, after] = [random.integer(3000, 3999), random.integer(8000, 8999)];
      const names = pickWords(random, 5);
      const text = (name: string, port: number): string =>
        lines([`name=${name}`, `port=${port}`, `admin_port=${before}`, `# port=${before} is the old one`]);
      return {
        instruction: `In each file conf/*.conf, change the setting port from ${before} to ${after}. Nothing else changes: not admin_port, not the comments.`,
        files: Object.fromEntries(names.map((name) => [`conf/${name}.conf`, text(name, before)])),
        check: {
          kind: 'tree',
          root: 'conf',
          entries: Object.fromEntries(names.map((name) => [`${name}.conf`, { text: text(name, after) }])),
        },
        solution: `sed -i 's/^port=.*/port=${after}/' conf/*.conf`,
      };
    },
  },
  {
    name: 'link-newest',
    make: (random) => {
      const major = random.integer(1, 4);
      const versions = [`${major}.2.0`, `${major}.10.${random.integer(1, 9)}`, `${major}.9.${random.integer(1, 9)}`];
      const newest = versions[1] ?? '';
      const kept: Record<string, ExpectedEntry> = Object.fromEntries(
        versions.map((version) => [`${version}/version`, { text: `${version}\n` }]),
      );
      return {
        instruction:
          'The folders in releases are named by version, such as 1.4.2. Make a symbolic link releases/current to the newest version; its target is the bare name of the folder. The link that is there points to an old one.',
        files: {
          ...Object.fromEntries(versions.map((version) => [`releases/${version}/version`, `${version}\n`])),
          'releases/current': { link: versions[0] ?? '' },
        },
        check: { kind: 'tree', root: 'releases', entries: { ...kept, current: { link: newest } } },
        solution: `ln -sfn "$(ls releases | grep -v current | sort -V | tail -1)" releases/current`,
      };
    },
  },
  {
    name: 'archive-old',
    make: (random) => {
      const border = random.integer(4, 9);
      const days = repeat(8, (at) => `2030-${pad(at + 2)}-${pad(random.integer(1, 28))}`);
      const isOld = (day: string): boolean => Number(day.slice(5, 7)) < border;
      return {
        instruction: `The files in reports are named by day. Move those from before 2030-${pad(border)}-01 to reports/archive; the others stay.`,
        files: Object.fromEntries(days.map((day) => [`reports/${day}.txt`, `report of ${day}\n`])),
        check: {
          kind: 'tree',
          root: 'reports',
          entries: Object.fromEntries(
            days.map((day) => [`${isOld(day) ? 'archive/' : ''}${day}.txt`, { text: `report of ${day}\n` }]),
          ),
        },
        solution: `mkdir -p reports/archive && cd reports && for file in *.txt; do if [ "$(echo "$file" | cut -c6-7)" -lt ${pad(border)} ]; then mv "$file" archive/; fi; done`,
      };
    },
  },
  {
    name: 'plain-names',
    make: (random) => {
      const pairs = repeat(6, () => pickWords(random, 2)).filter(
        ([a], at, all) => all.findIndex(([other]) => other === a) === at,
      );
      const spoken = pairs.map(([a = '', b = '']) => `${a.toUpperCase()} ${b}.TXT`);
      return {
        instruction:
          'Rename the files in inbox: capitals become small letters, and spaces become dashes. "My File.TXT" becomes "my-file.txt".',
        files: Object.fromEntries(spoken.map((name) => [`inbox/${name}`, `${name}\n`])),
        check: {
          kind: 'tree',
          root: 'inbox',
          entries: Object.fromEntries(
            spoken.map((name) => [name.toLowerCase().replaceAll(' ', '-'), { text: `${name}\n` }]),
          ),
        },
        solution: `cd inbox && for name in *; do mv "$name" "$(echo "$name" | tr 'A-Z ' 'a-z-')"; done`,
      };
    },
  },
];
