import { createHash } from 'node:crypto';
import type { TerminalTask } from '../terminal-task.ts';
import { byBytes, lines, pad, pickWords, repeat } from '../words.ts';

/** Look through files and write down what was found. */
export const findAndCount: readonly TerminalTask[] = [
  {
    name: 'count-errors',
    make: (random) => {
      const levels = ['INFO', 'WARN', 'ERROR', 'DEBUG'];
      const logs = pickWords(random, 4).map((name) => ({
        name,
        rows: repeat(
          random.integer(15, 40),
          (at) => `12:${pad(at)} ${random.pick(levels)} ${random.pick(['ERRORS none', 'ready', 'slow disk'])}`,
        ),
      }));
      const count = logs.flatMap(({ rows }) => rows).filter((row) => row.split(' ')[1] === 'ERROR').length;
      return {
        instruction:
          'Each line of the files logs/*.log has a time, a level and a text. Count the lines of all files together whose level is ERROR, and write the number to answer.txt.',
        files: Object.fromEntries(logs.map(({ name, rows }) => [`logs/${name}.log`, lines(rows)])),
        check: { kind: 'files', files: { 'answer.txt': String(count) } },
        solution: `cat logs/*.log | awk '$2 == "ERROR"' | wc -l > answer.txt`,
      };
    },
  },
  {
    name: 'largest-file',
    make: (random) => {
      const names = pickWords(random, 9);
      const step = random.integer(20, 60);
      const sizes = random.shuffle(repeat(names.length, (at) => 200 + at * step));
      const paths = names.map((name, at) => `store/${at % 3 === 0 ? '' : `${names[at % 3]}-box/`}${name}.bin`);
      const largest = paths[sizes.indexOf(Math.max(...sizes))] ?? '';
      return {
        instruction:
          'Find the largest file in the folder store and the folders in it. Write its path, from here, to answer.txt.',
        files: Object.fromEntries(paths.map((path, at) => [path, 'x'.repeat(sizes[at] ?? 0)])),
        check: { kind: 'files', files: { 'answer.txt': largest } },
        solution: `find store -type f -printf '%s %p\\n' | sort -n | tail -1 | cut -d' ' -f2- > answer.txt`,
      };
    },
  },
  {
    name: 'files-with-mark',
    make: (random) => {
      const names = pickWords(random, 10);
      const isMarked = names.map((_, at) => at % 4 === 1 || random.next() < 0.3);
      const paths = names.map((name, at) => `src/${at % 2 === 0 ? 'lib/' : ''}${name}.txt`);
      const texts = names.map((name, at) =>
        lines([`# ${name}`, isMarked[at] === true ? 'FIXME later' : 'fixme is fine', 'end']),
      );
      return {
        instruction:
          'List the files in src and its folders that contain the word FIXME in capitals: one path a line, from here, in the order of `LC_ALL=C sort`, in list.txt.',
        files: Object.fromEntries(paths.map((path, at) => [path, texts[at] ?? ''])),
        check: {
          kind: 'files',
          files: { 'list.txt': lines(paths.filter((_, at) => isMarked[at]).toSorted(byBytes)) },
        },
        solution: 'grep -rl FIXME src | LC_ALL=C sort > list.txt',
      };
    },
  },
  {
    name: 'needle',
    make: (random) => {
      const [a = '', b = '', c = ''] = pickWords(random, 3);
      const code = `key-${random.integer(100_000, 999_999)}`;
      const folders = [a, `${a}/${b}`, `${a}/${b}/${c}`, c, `${c}/${a}`];
      const place = random.pick(folders);
      const files = Object.fromEntries(folders.map((folder) => [`hay/${folder}/.notes`, `nothing in ${folder}\n`]));
      return {
        instruction:
          'Somewhere under hay, in a hidden file, stands a line that begins with "needle:". Write what follows the colon, without spaces around it, to answer.txt.',
        files: { ...files, [`hay/${place}/.notes`]: lines(['straw', `needle: ${code}`, 'straw']) },
        check: { kind: 'files', files: { 'answer.txt': code } },
        solution: `grep -rh '^needle:' hay | sed 's/^needle: *//' > answer.txt`,
      };
    },
  },
  {
    name: 'top-words',
    make: (random) => {
      const words = pickWords(random, 7);
      // Counts that are all different leave one right order.
      const counts = random.shuffle([3, 5, 8, 11, 13, 17, 20]);
      const text = random.shuffle(words.flatMap((word, at) => repeat(counts[at] ?? 0, () => word)));
      const rows = repeat(Math.ceil(text.length / 9), (at) => text.slice(at * 9, at * 9 + 9).join(' '));
      const order = words.map((word, at) => [word, counts[at] ?? 0] as const).toSorted((x, y) => y[1] - x[1]);
      return {
        instruction:
          'Which three words are most frequent in story.txt? Write them to top.txt, the most frequent first, one a line, each as "word count".',
        files: { 'story.txt': lines(rows) },
        check: {
          kind: 'files',
          files: { 'top.txt': lines(order.slice(0, 3).map(([word, count]) => `${word} ${count}`)) },
        },
        solution: `tr ' ' '\\n' < story.txt | sort | uniq -c | sort -rn | head -3 | awk '{print $2, $1}' > top.txt`,
      };
    },
  },
  {
    name: 'broken-checksums',
    make: (random) => {
      const names = pickWords(random, 8);
      const texts = names.map((name) => lines([name, String(random.integer(0, 1e9))]));
      const isBroken = names.map((_, at) => at === 2 || random.next() < 0.3);
      const sums = names.map((name, at) => {
        const digest = createHash('sha256')
          .update(`${texts[at]}${isBroken[at] === true ? 'x' : ''}`)
          .digest('hex');
        return `${digest}  parts/${name}.dat`;
      });
      return {
        instruction:
          'SHA256SUMS has the SHA-256 of each file in parts. Write the paths of the files whose sum is another one to bad.txt, one a line, in the order of `LC_ALL=C sort`.',
        files: {
          SHA256SUMS: lines(sums),
          ...Object.fromEntries(names.map((name, at) => [`parts/${name}.dat`, texts[at] ?? ''])),
        },
        check: {
          kind: 'files',
          files: {
            'bad.txt': lines(
              names
                .filter((_, at) => isBroken[at])
                .map((name) => `parts/${name}.dat`)
                .toSorted(byBytes),
            ),
          },
        },
        solution: `sha256sum -c SHA256SUMS 2> /dev/null | sed -n 's/: FAILED$//p' | LC_ALL=C sort > bad.txt`,
      };
    },
  },
  {
    name: 'visitors-per-day',
    make: (random) => {
      const addresses = repeat(9, () => `10.0.${random.integer(0, 9)}.${random.integer(1, 250)}`);
      const days = repeat(4, (at) => `2031-05-${pad(at * 3 + random.integer(1, 3))}`);
      const visits = days.flatMap((day) => repeat(random.integer(6, 15), () => `${random.pick(addresses)} ${day} /`));
      const counts = days.map((day) => {
        const seen = new Set(visits.filter((visit) => visit.split(' ')[1] === day).map((visit) => visit.split(' ')[0]));
        return `${day} ${seen.size}`;
      });
      return {
        instruction:
          'Each line of access.log has an address, a day and a path. For each day, in order, write "day count" to visitors.txt, where count is the number of different addresses of that day.',
        files: { 'access.log': lines(random.shuffle(visits)) },
        check: { kind: 'files', files: { 'visitors.txt': lines(counts) } },
        solution: `awk '{print $2, $1}' access.log | sort -u | cut -d' ' -f1 | uniq -c | awk '{print $2, $1}' > visitors.txt`,
      };
    },
  },
];
