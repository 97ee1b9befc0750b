import type { Random } from '@lachesis/sdk/environment';
import type { ProgramRun, TerminalTask } from '../terminal-task.ts';
import { byBytes, lines, pickWords, repeat } from '../words.ts';

/** So many other folders a script is tried on: what it printed for the one the agent saw is no help there. */
const RUNS = 2;

/** Never with the answer that was shown, or printing that one would do. */
const tryOn = (random: Random, shown: ProgramRun, make: (random: Random) => ProgramRun): ProgramRun[] =>
  repeat(RUNS, (at) => {
    for (let attempt = 0; ; attempt += 1) {
      const run = make(random.fork('hidden', at, attempt));
      if (run.prints !== shown.prints) return run;
    }
  });

/** Write or mend a script for `sh`. */
export const programs: readonly TerminalTask[] = [
  {
    name: 'write-counter',
    make: (random) => {
      const makeRun = (source: Random): ProgramRun => {
        const [word = '', other = '', ...names] = pickWords(source, 6);
        const texts = names.map(() =>
          repeat(source.integer(5, 12), () => source.pick([word, `${word} ${other}`, other, `${other}s`])),
        );
        const count = texts.flat().filter((row) => row.includes(word)).length;
        return {
          files: Object.fromEntries(names.map((name, at) => [`data/${name}.txt`, lines(texts[at] ?? [])])),
          words: [word],
          prints: String(count),
        };
      };
      const shown = makeRun(random.fork('shown'));
      return {
        instruction: `Write a script count.sh. \`sh count.sh <word>\` prints how many lines of the files data/*.txt, all together, contain the word. Here \`sh count.sh ${shown.words[0]}\` prints ${shown.prints}; it is tried on other files and words.`,
        files: shown.files,
        check: { kind: 'program', script: 'count.sh', runs: tryOn(random, shown, makeRun) },
        solution: `printf '%s\\n' 'cat data/*.txt | grep -cF -e "$1"' > count.sh`,
      };
    },
  },
  {
    name: 'mend-sum',
    make: (random) => {
      const makeRun = (source: Random): ProgramRun => {
        // One is negative, or the broken script would do.
        const values = [source.integer(-40, -1), ...repeat(source.integer(5, 14), () => source.integer(-40, 90))];
        return {
          files: { 'numbers.txt': lines(['# measured', ...values]) },
          words: [],
          prints: String(values.reduce((sum, value) => sum + value, 0)),
        };
      };
      const shown = makeRun(random.fork('shown'));
      return {
        instruction: `sum.sh should print the sum of the numbers in numbers.txt, one a line; lines that begin with # are comments. It leaves out negative ones. Mend it. Here the sum is ${shown.prints}; it is tried on other numbers.`,
        files: {
          ...shown.files,
          'sum.sh': lines([
            'total=0',
            'while read -r value; do',
            '  case "$value" in',
            '    [0-9]*) total=$((total + value)) ;;',
            '  esac',
            'done < numbers.txt',
            'echo "$total"',
          ]),
        },
        check: { kind: 'program', script: 'sum.sh', runs: tryOn(random, shown, makeRun) },
        solution: `sed -i 's/\\[0-9\\]\\*)/[0-9]*|-[0-9]*)/' sum.sh`,
      };
    },
  },
  {
    name: 'write-lookup',
    make: (random) => {
      const makeRun = (source: Random): ProgramRun => {
        const [wanted = '', ...names] = pickWords(source, 8);
        const rows = source.shuffle([wanted, ...names]).map((name) => [name, source.integer(100, 999)] as const);
        return {
          files: { 'phone.csv': lines(rows.map((row) => row.join(';'))) },
          words: [wanted],
          prints: String(rows.find(([name]) => name === wanted)?.[1]),
        };
      };
      const shown = makeRun(random.fork('shown'));
      return {
        instruction: `phone.csv has lines of name;number. Write find.sh: \`sh find.sh <name>\` prints the number of that name. Here \`sh find.sh ${shown.words[0]}\` prints ${shown.prints}; it is tried on another list.`,
        files: shown.files,
        check: { kind: 'program', script: 'find.sh', runs: tryOn(random, shown, makeRun) },
        solution: `printf '%s\\n' 'awk -F";" -v name="$1" "\\$1 == name { print \\$2 }" phone.csv' > find.sh`,
      };
    },
  },
  {
    name: 'write-lister',
    make: (random) => {
      const makeRun = (source: Random): ProgramRun => {
        const [folder = '', ...words] = pickWords(source, 10);
        const names = words.map((name, at) => `${at % 2 === 0 ? 'in/' : ''}${name}.${at % 3 === 0 ? 'md' : 'txt'}`);
        return {
          files: Object.fromEntries(names.map((name) => [`${folder}/${name}`, `${name}\n`])),
          words: [folder],
          prints: lines(
            names
              .filter((name) => name.endsWith('.md'))
              .map((name) => `${folder}/${name}`)
              .toSorted(byBytes),
          ),
        };
      };
      const shown = makeRun(random.fork('shown'));
      return {
        instruction:
          'Write list.sh: `sh list.sh <folder>` prints the paths of all files *.md in the folder and the folders in it, one a line, as `LC_ALL=C sort` orders them. It is tried on other folders.',
        files: shown.files,
        check: { kind: 'program', script: 'list.sh', runs: tryOn(random, shown, makeRun) },
        solution: `printf '%s\\n' 'find "$1" -name "*.md" | LC_ALL=C sort' > list.sh`,
      };
    },
  },
];
