import { gives, throws, type RepairTask } from '../repair-task.ts';

const python = (task: Omit<RepairTask, 'language'>): RepairTask => ({ language: 'python', ...task });

export const PYTHON_TASKS: readonly RepairTask[] = [
  python({
    name: 'median',
    entry: 'median',
    report: 'The median of an even number of values is the upper of the two in the middle, and not their mean.',
    broken: `def median(values):
    if not values:
        raise ValueError("no values")
    ordered = sorted(values)
    return ordered[len(ordered) // 2]
`,
    patch: [
      '    return ordered[len(ordered) // 2]\n',
      '    middle = len(ordered) // 2\n    if len(ordered) % 2 == 1:\n        return ordered[middle]\n    return (ordered[middle - 1] + ordered[middle]) / 2\n',
    ],
    shown: gives([[1, 2, 3, 6]], 2.5),
    hidden: [
      gives([[4, 1]], 2.5),
      gives([[9, 1, 5]], 5),
      gives([[10, 2, 8, 4, 30, 6]], 7),
      gives([[7]], 7),
      throws([[]], 'ValueError'),
    ],
  }),
  python({
    name: 'chunk',
    entry: 'chunk',
    report: 'The last chunk is lost when it is shorter than the others.',
    broken: `def chunk(items, size):
    if size < 1:
        raise ValueError("size must be 1 or more")
    return [items[start:start + size] for start in range(0, len(items) - size + 1, size)]
`,
    patch: ['len(items) - size + 1', 'len(items)'],
    shown: gives([[1, 2, 3, 4, 5], 2], [[1, 2], [3, 4], [5]]),
    hidden: [
      gives(
        [[1, 2, 3, 4], 2],
        [
          [1, 2],
          [3, 4],
        ],
      ),
      gives([['a'], 3], [['a']]),
      gives([[], 3], []),
      gives([[1, 2, 3, 4, 5, 6, 7], 3], [[1, 2, 3], [4, 5, 6], [7]]),
      throws([[1], 0], 'ValueError'),
    ],
  }),
  python({
    name: 'merge-intervals',
    entry: 'merge_intervals',
    report: 'An interval that lies inside the one before makes the result shorter.',
    broken: `def merge_intervals(intervals):
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = end
        else:
            merged.append([start, end])
    return merged
`,
    patch: ['merged[-1][1] = end', 'merged[-1][1] = max(merged[-1][1], end)'],
    shown: gives(
      [
        [
          [1, 9],
          [2, 4],
        ],
      ],
      [[1, 9]],
    ),
    hidden: [
      gives(
        [
          [
            [1, 3],
            [2, 6],
            [8, 10],
          ],
        ],
        [
          [1, 6],
          [8, 10],
        ],
      ),
      gives(
        [
          [
            [0, 20],
            [5, 6],
            [7, 8],
            [19, 25],
          ],
        ],
        [[0, 25]],
      ),
      gives([[]], []),
      gives(
        [
          [
            [5, 6],
            [1, 2],
          ],
        ],
        [
          [1, 2],
          [5, 6],
        ],
      ),
      gives(
        [
          [
            [1, 4],
            [4, 5],
            [0, 0],
          ],
        ],
        [
          [0, 0],
          [1, 5],
        ],
      ),
    ],
    isRepository: true,
  }),
  python({
    name: 'word-count',
    entry: 'word_count',
    report: 'Words with a capital are counted apart from the same words without.',
    broken: `import re


def word_count(text):
    counts = {}
    for word in re.findall(r"[A-Za-z']+", text):
        counts[word] = counts.get(word, 0) + 1
    return counts
`,
    patch: ['re.findall(r"[A-Za-z\']+", text)', 're.findall(r"[a-z\']+", text.lower())'],
    shown: gives(['Yarn yarn'], { yarn: 2 }),
    hidden: [
      gives(['The cat. the CAT! tHe'], { the: 3, cat: 2 }),
      gives([''], {}),
      gives(["Don't don't, DO"], { "don't": 2, do: 1 }),
      gives(['a1b A'], { a: 2, b: 1 }),
    ],
  }),
  python({
    name: 'leap-year',
    entry: 'days_in_year',
    report: 'The year 1900 had 365 days, and the program says 366.',
    broken: `def days_in_year(year):
    if year % 4 == 0 and (year % 100 == 0 or year % 400 != 0):
        return 366
    return 365
`,
    patch: ['(year % 100 == 0 or year % 400 != 0)', '(year % 100 != 0 or year % 400 == 0)'],
    shown: gives([1900], 365),
    hidden: [gives([2000], 366), gives([2024], 366), gives([2023], 365), gives([2100], 365), gives([2400], 366)],
  }),
  python({
    name: 'running-total',
    entry: 'totals_of_two',
    report: 'The second call goes on from where the first ended: totals of the first list are in the second.',
    broken: `def running_total(values, totals=[]):
    for value in values:
        totals.append((totals[-1] if totals else 0) + value)
    return totals


def totals_of_two(first, second):
    return [list(running_total(first)), list(running_total(second))]
`,
    patch: ['def running_total(values, totals=[]):\n', 'def running_total(values):\n    totals = []\n'],
    shown: gives([[1], [1]], [[1], [1]]),
    hidden: [
      gives(
        [
          [1, 2, 3],
          [4, 5],
        ],
        [
          [1, 3, 6],
          [4, 9],
        ],
      ),
      gives([[], [2]], [[], [2]]),
      gives([[5, -5], []], [[5, 0], []]),
      gives([[7], [7, 7]], [[7], [7, 14]]),
    ],
    isRepository: true,
  }),
  python({
    name: 'roman',
    entry: 'to_roman',
    report: 'Four is written IIII, and nine VIIII.',
    broken: `SIGNS = [(1000, "M"), (500, "D"), (100, "C"), (50, "L"), (10, "X"), (5, "V"), (1, "I")]


def to_roman(number):
    if not 0 < number < 4000:
        raise ValueError("only 1 to 3999 can be written")
    text = ""
    for value, sign in SIGNS:
        while number >= value:
            text += sign
            number -= value
    return text
`,
    patch: [
      '[(1000, "M"), (500, "D"), (100, "C"), (50, "L"), (10, "X"), (5, "V"), (1, "I")]',
      '[(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]',
    ],
    shown: gives([4], 'IV'),
    hidden: [
      gives([9], 'IX'),
      gives([1994], 'MCMXCIV'),
      gives([3888], 'MMMDCCCLXXXVIII'),
      gives([449], 'CDXLIX'),
      throws([0], 'ValueError'),
    ],
  }),
  python({
    name: 'binary-search',
    entry: 'find_place',
    report: 'A value at the end of the list is not found.',
    broken: `def find_place(ordered, wanted):
    low, high = 0, len(ordered) - 1
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] == wanted:
            return middle
        if ordered[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1
`,
    patch: ['while low < high:', 'while low <= high:'],
    shown: gives([[1, 3, 5], 5], 2),
    hidden: [
      gives([[4], 4], 0),
      gives([[], 4], -1),
      gives([[1, 2, 3, 4, 5, 6], 6], 5),
      gives([[1, 2, 3, 4, 5, 6], 1], 0),
      gives([[2, 4, 6, 8], 5], -1),
      gives([[2, 4, 6, 8], 6], 2),
    ],
  }),
  python({
    name: 'parse-query',
    entry: 'parse_query',
    report: 'A value that has an equals sign in it raises an error.',
    broken: `def parse_query(text):
    pairs = {}
    for part in text.split("&"):
        if not part:
            continue
        key, value = part.split("=")
        pairs[key] = value
    return pairs
`,
    patch: ['key, value = part.split("=")', 'key, _, value = part.partition("=")'],
    shown: gives(['a=1=2'], { a: '1=2' }),
    hidden: [
      gives(['a=1&b=2'], { a: '1', b: '2' }),
      gives([''], {}),
      gives(['token=x==&&n=3'], { token: 'x==', n: '3' }),
      gives(['flag'], { flag: '' }),
      gives(['a=&a=2'], { a: '2' }),
    ],
    isRepository: true,
  }),
  python({
    name: 'flatten',
    entry: 'flatten',
    report: 'Lists inside lists inside lists stay as they are; only one level is opened.',
    broken: `def flatten(items):
    flat = []
    for item in items:
        if isinstance(item, list):
            flat.extend(item)
        else:
            flat.append(item)
    return flat
`,
    patch: ['flat.extend(item)', 'flat.extend(flatten(item))'],
    shown: gives([[1, [2, [3]]]], [1, 2, 3]),
    hidden: [
      gives([[]], []),
      gives([[[[[]]]]], []),
      gives([['a', ['b', ['c', ['d']], 'e']]], ['a', 'b', 'c', 'd', 'e']),
      gives([[0, [false, [null]]]], [0, false, null]),
    ],
  }),
  python({
    name: 'round-money',
    entry: 'split_bill',
    report: 'The shares of a bill do not add up to it: a cent is lost. The first ones should pay a cent more.',
    broken: `def split_bill(cents, people):
    if people < 1:
        raise ValueError("nobody to pay")
    share = cents // people
    return [share] * people
`,
    patch: [
      '    return [share] * people\n',
      '    rest = cents - share * people\n    return [share + 1] * rest + [share] * (people - rest)\n',
    ],
    shown: gives([100, 3], [34, 33, 33]),
    hidden: [
      gives([10, 4], [3, 3, 2, 2]),
      gives([9, 3], [3, 3, 3]),
      gives([1, 2], [1, 0]),
      gives([0, 2], [0, 0]),
      throws([5, 0], 'ValueError'),
    ],
  }),
];
