import type { MathPair } from '../../peers/math-verify/run-math-verify.ts';
import { type Random, createRandom } from '../render/random.ts';
import { writtenPairs } from './written-pairs.ts';

const SEED = 20_261;
const PER_KIND = 60;

type MakePair = (random: Random) => MathPair;

/** Each gives right answers in another form about half of the time, and near misses else. */
const kinds: Readonly<Record<string, MakePair>> = {
  fraction: (random) => {
    const [top, bottom] = [1 + random.integer(40), 2 + random.integer(30)];
    const [wrongTop, times] = [random.chance(0.4) ? top + 1 : top, 1 + random.integer(4)];
    const forms = [
      `$\\frac{${wrongTop * times}}{${bottom * times}}$`,
      `${wrongTop}/${bottom}`,
      `\\boxed{\\dfrac{${wrongTop}}{${bottom}}}`,
      `$${(wrongTop / bottom).toFixed(7)}$`,
      `$${(wrongTop / bottom).toFixed(3)}$`,
    ];
    return { expected: `$\\frac{${top}}{${bottom}}$`, reply: random.pick(forms) };
  },
  decimal: (random) => {
    const value = random.integer(100_000) / 10 ** (1 + random.integer(4));
    const other = random.chance(0.5) ? value : value + random.pick([1e-7, 1e-3, -0.1, 1]);
    return {
      expected: `$${value}$`,
      reply: random.pick([`${other}`, `\\boxed{${other}}`, `The answer is $${other}$.`]),
    };
  },
  thousands: (random) => {
    const value = 1000 + random.integer(9_000_000);
    const other = random.chance(0.6) ? value : value + random.pick([1, 10, -100, 1000]);
    const grouped = other.toLocaleString('en-US');
    return {
      expected: `$${value}$`,
      reply: random.pick([grouped, `$${grouped}$`, `\\boxed{${grouped}}`, `$\\$${grouped}$`]),
    };
  },
  percent: (random) => {
    const value = 1 + random.integer(99);
    const other = random.chance(0.6) ? value : value + 1;
    const forms = [
      `${other}%`,
      `$${other}\\%$`,
      `$${other / 100}$`,
      `$\\frac{${other}}{100}$`,
      `${other} percent`,
      `${other}`,
    ];
    return { expected: random.pick([`$${value}\\%$`, `${value}%`]), reply: random.pick(forms) };
  },
  power: (random) => {
    const [base, exponent] = [2 + random.integer(8), 2 + random.integer(8)];
    const other = random.chance(0.6) ? base ** exponent : base ** exponent + random.pick([1, -1, base]);
    return { expected: `$${base}^{${exponent}}$`, reply: random.pick([`${other}`, `$${other}$`, `\\boxed{${other}}`]) };
  },
  root: (random) => {
    const [outside, inside] = [2 + random.integer(8), random.pick([2, 3, 5, 6, 7, 10])];
    const other = random.chance(0.6) ? outside : outside + 1;
    const forms = [
      `$${other}\\sqrt{${inside}}$`,
      `$\\sqrt{${other * other * inside}}$`,
      `$\\frac{${other * inside}}{\\sqrt{${inside}}}$`,
      `$${(other * Math.sqrt(inside)).toFixed(6)}$`,
    ];
    return { expected: `$${outside}\\sqrt{${inside}}$`, reply: random.pick(forms) };
  },
  polynomial: (random) => {
    const [a, b, c] = [1 + random.integer(5), random.integer(13) - 6, random.integer(13) - 6];
    const wrong = random.chance(0.4) ? 1 : 0;
    const expanded = `${a}x^2${sign(a * (b + c))}x${sign(a * b * c + wrong)}`;
    return { expected: `$${a}(x${sign(b)})(x${sign(c)})$`, reply: `$${expanded}$` };
  },
  trigonometry: (random) =>
    random.pick([
      pair('$\\cos 2x$', ['$\\cos^2 x-\\sin^2 x$', '$1-2\\sin^2 x$', '$2\\cos^2 x-1$', '$1-\\sin^2 x$'], random),
      pair(
        '$\\sec x$',
        ['$\\frac{1}{\\cos x}$', '$\\sqrt{1+\\tan^2 x}$', '$\\frac{1}{\\sin x}$', '$\\cos^{-1} x$'],
        random,
      ),
      pair('$\\sin(x+y)$', ['$\\sin x\\cos y+\\cos x\\sin y$', '$\\sin x+\\sin y$', '$\\sin(y+x)$'], random),
      pair(
        '$\\frac{1}{2}$',
        ['$\\sin\\frac{\\pi}{6}$', '$\\cos\\frac{\\pi}{3}$', '$\\cos\\frac{\\pi}{6}$', '$\\sin(\\pi/6)$'],
        random,
      ),
      pair('$\\sqrt{3}$', ['$\\tan\\frac{\\pi}{3}$', '$2\\sin\\frac{\\pi}{3}$', '$\\tan\\frac{\\pi}{6}$'], random),
    ]),
  set: (random) => {
    const items = [...new Set(random.list(2 + random.integer(4), () => random.integer(50) - 20))];
    const other = random.chance(0.4) ? [...items.slice(1), 99] : items.toSorted((a, b) => b - a);
    const text = other.join(random.pick([',', ', ']));
    return {
      expected: `$\\{${items.join(',')}\\}$`,
      reply: random.pick([`$\\{${text}\\}$`, `$${text}$`, `\\boxed{${text}}`]),
    };
  },
  interval: (random) => {
    const start = random.integer(20) - 10;
    const end = start + 1 + random.integer(10);
    const [open, close] = [random.pick(['(', '[']), random.pick([')', ']'])];
    const changed = random.integer(4);
    const reply = [
      `$${open}${start},${end}${close}$`,
      `$${open === '(' ? '[' : '('}${start},${end}${close}$`,
      `$\\left${open}${start},${end}\\right${close}$`,
      `$x\\in ${open}${start}, ${end}${close}$`,
    ][changed];
    return { expected: `$${open}${start},${end}${close}$`, reply: reply ?? '' };
  },
  inequality: (random) => {
    const bound = random.integer(30) - 15;
    const [operator, flipped] = random.pick([
      ['>', '<'],
      ['<', '>'],
      ['\\ge', '\\le'],
      ['\\le', '\\ge'],
    ] as const);
    const other = random.chance(0.3) ? bound + 1 : bound;
    const forms = [
      `$x${operator} ${other}$`,
      `$${other}${flipped} x$`,
      `$2x${operator} ${2 * other}$`,
      `$x${flipped} ${other}$`,
    ];
    return { expected: `$x${operator} ${bound}$`, reply: random.pick(forms) };
  },
  pair: (random) => {
    const [x, y] = [random.integer(20) - 10, random.integer(20) - 10];
    const [a, b] = random.chance(0.3) ? [y, x] : [x, y];
    return {
      expected: `$(${x},${y})$`,
      reply: random.pick([`$(${a},${b})$`, `$(${a}, ${b})$`, `\\boxed{(${a},${b})}`]),
    };
  },
  matrix: (random) => {
    const values = random.list(4, () => random.integer(20) - 5);
    const other = random.chance(0.4) ? values.map((value, index) => (index === 2 ? value + 1 : value)) : values;
    const write = ([a, b, c, d]: number[], name: string): string =>
      `$\\begin{${name}} ${a} & ${b} \\\\ ${c} & ${d} \\end{${name}}$`;
    return { expected: write(values, 'pmatrix'), reply: write(other, random.pick(['pmatrix', 'bmatrix'])) };
  },
  equation: (random) => {
    const [slope, offset] = [1 + random.integer(8), random.integer(15) - 7];
    const other = random.chance(0.4) ? offset + 1 : offset;
    const forms = [
      `$${slope}x${sign(other)}$`,
      `$y=${slope}x${sign(other)}$`,
      `$y-${slope}x=${other}$`,
      `$${slope}x-y${sign(other)}=0$`,
    ];
    return { expected: `$y=${slope}x${sign(offset)}$`, reply: random.pick(forms) };
  },
  reply: (random) => {
    const value = random.integer(2000) - 300;
    const other = random.chance(0.7) ? value : value + random.pick([1, -1, 10]);
    const before = random.pick([
      'We add 3 and 4 to get 7.',
      'First $2+2=4$.',
      'Let x be the number.',
      'There were 12 of them.\n',
    ]);
    const forms = [
      `${before} The answer is ${other}.`,
      `${before} So the total is \\boxed{${other}}.`,
      `${before}\n#### ${other}`,
      `${before} The final answer is $${other}$.`,
      `${before} Therefore $x = ${other}$.`,
      `${before} \\[ x = ${other} \\]`,
      `${before} **Answer: ${other}**`,
    ];
    return { expected: `${value}`, reply: random.pick(forms) };
  },
  unit: (random) => {
    const value = 1 + random.integer(500);
    const other = random.chance(0.7) ? value : value + 1;
    const unit = random.pick(['cm', 'km', 'hours', 'dollars', 'meters', 'apples', 'students', 'minutes']);
    const forms = [
      `${other} ${unit}`,
      `$${other}\\text{ ${unit}}$`,
      `\\boxed{${other} \\text{ ${unit}}}`,
      `$${other}\\,\\mathrm{${unit}}$`,
    ];
    return { expected: `$${value}$`, reply: random.pick(forms) };
  },
};

const sign = (value: number): string => (value < 0 ? `${value}` : `+${value}`);

const pair = (expected: string, replies: readonly string[], random: Random): MathPair => ({
  expected,
  reply: random.pick(replies),
});

/** The same pairs on every machine, each once: those written by hand, then those made. */
export function makePairs(): MathPair[] {
  const random = createRandom(SEED);
  const made = Object.values(kinds).flatMap((make) => random.list(PER_KIND, () => make(random)));
  const unique = new Map([...writtenPairs, ...made].map((item) => [`${item.expected}\n${item.reply}`, item]));
  return [...unique.values()];
}
