import { expect, test } from 'vitest';

import { compareMathAnswer } from './compare-math-answer.ts';

const isSame = (expected: string, reply: string): boolean => compareMathAnswer({ expected, reply }).isSame;

test.each([
  ['$\\frac{1}{2}$', '\\boxed{0.5}'],
  ['$x^2+2x+1$', '$(x+1)^2$'],
  ['$\\sqrt{8}$', '$2\\sqrt2$'],
  ['$\\{1,2\\}$', '$\\{2,1\\}$'],
  ['$(-\\infty,2)\\cup(3,\\infty)$', '$(3,\\infty) \\cup (-\\infty, 2)$'],
  ['$x=5$', 'so it is 5.'],
  ['$0.\\overline{3}$', '1/3'],
  ['$2\\frac{1}{2}$', '2.5'],
  ['$1,234$', 'We get $1234$'],
  ['$5\\text{ cm}$', '5 cm'],
  ['$1\\pm\\sqrt{2}$', '$\\{1-\\sqrt2,1+\\sqrt2\\}$'],
  ['$\\mathbb{R}\\setminus\\{0\\}$', '$(-\\infty,0)\\cup(0,\\infty)$'],
  ['$e^{i\\pi}$', '$-1$'],
  ['$\\sin 30^\\circ$', '$\\frac12$'],
  ['$|xy|$', '$|x||y|$'],
  ['$1.5$', 'it is 1,5'],
  ['$\\begin{pmatrix}2&4\\end{pmatrix}$', '$2\\begin{pmatrix}1&2\\end{pmatrix}$'],
])('%s is the same as %s', (expected, reply) => {
  expect(isSame(expected, reply)).toBe(true);
});

test.each([
  ['$\\frac{1}{3}$', '0.3333'],
  ['$[1,2)$', '$[1,2]$'],
  ['$(1,2)$', '$(2,1)$'],
  ['$x=5$', '$y=5$'],
  ['$x>2$', '$x\\ge 2$'],
  ['$\\sqrt{x^2}$', '$x$'],
  ['$|xy|$', '$xy$'],
  ['$\\ln\\frac{x}{y}$', '$\\ln x-\\ln y$'],
  ['$72$', 'I do not know.'],
  ['$72$', ''],
])('%s is not the same as %s', (expected, reply) => {
  expect(isSame(expected, reply)).toBe(false);
});

test('the last box counts, with those that belong to it', () => {
  expect(
    compareMathAnswer({ expected: '5', reply: 'Maybe \\boxed{4}. I was wrong about that one: \\boxed{5}' }),
  ).toEqual({
    isSame: true,
    expected: '5',
    answer: '5',
  });
  expect(isSame('$1,2$', '\\boxed{1} and \\boxed{2}')).toBe(true);
});

test('a reply that was cut inside its box is read as far as it goes', () => {
  expect(compareMathAnswer({ expected: '12', reply: 'so \\boxed{12' }).answer).toBe('12');
});

test.each([
  ['a tower of powers', `$${'9^{'.repeat(50)}9${'}'.repeat(50)}$`],
  ['a huge factorial', '$999999999!$'],
  ['a huge choice', '$\\binom{999999999}{1000}$'],
  ['a thousand brackets', `$${'('.repeat(1000)}1${')'.repeat(1000)}$`],
  ['a thousand bars', `$${'|'.repeat(1000)}$`],
  ['fifty thousand dollar signs', '$'.repeat(50_000)],
  ['fifty thousand boxes', '\\boxed{'.repeat(7000)],
  ['fifty thousand digits', '9'.repeat(50_000)],
  ['numbers without end', '1 '.repeat(50_000)],
  ['announcements without end', 'answer: '.repeat(8000)],
  ['final announcements without end', 'final answer '.repeat(5000)],
  ['signs without end', `1${'+-*/'.repeat(12_000)}`],
  ['commas without end', `$${'1,'.repeat(1900)}1$`],
  ['an unfinished matrix', '$\\begin{pmatrix}1&2\\\\3$'],
  ['a lone backslash', '$\\$'],
])('%s is graded in a moment and is wrong', (_name, reply) => {
  const start = performance.now();
  expect(isSame('$\\frac{1}{7}$', reply)).toBe(false);
  // Generous for a busy machine; what backtracks takes minutes.
  expect(performance.now() - start).toBeLessThan(2000);
});
