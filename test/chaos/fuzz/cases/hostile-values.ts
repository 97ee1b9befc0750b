import type { Random } from '../../simulation/random.ts';

const NUMBERS = [
  ...['0', '-0', '-1', '1', '0.1', '1.5', '-100', '127', '255', '65536', '1e-400', '5e-324', '1E+2', '1e308'],
  ...['2147483647', '2147483648', '-2147483649', '4294967295', '4294967296'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993'],
  ...['9223372036854775807', '9223372036854775808', '-9223372036854775809', '18446744073709551616'],
  ...['1e999', '-1e999', 'NaN', 'Infinity', '-Infinity', '00', '01', '+1', '.5', '1.', '1e', '0x10', '-', '1_000'],
];

const TEXTS = [
  ...['', ' ', '0', '8', '-1', '1e999', 'nan', 'null', '__proto__', 'constructor', 'toString', 'hasOwnProperty'],
  ...['\0', 'a\0b', '\ud800', '\udfff\ud800', '\ufffe', '\u2028', '\u202egnp', '👩‍👩‍👧‍👦', 'é\u0301', '\r\nSet-Cookie: a=b'],
  ...[
    "'; drop table runs; --",
    '%s%n%x',
    '${7*7}',
    '../../../../etc/passwd',
    '<script>alert(1)</script>',
    '١٢٣',
    '1\u00a0',
  ],
];

const VALUES = [
  'null',
  'true',
  'false',
  '[]',
  '{}',
  '[[]]',
  '[null]',
  '[[[]]]',
  '[[null]]',
  '{"":""}',
  'undefined',
  '',
  ',',
];

/** A number as text; not always one that JSON allows. */
export function pickNumberText(random: Random): string {
  if (random.chance(0.03)) return '9'.repeat(1 + random.below(5_000));
  if (random.chance(0.1)) return String((random.next() - 0.5) * 10 ** random.below(20));
  return random.pick(NUMBERS);
}

/** A string as a value; it may hold what databases, headers and terminals stumble over. */
export function pickText(random: Random): string {
  if (random.chance(0.03)) return random.pick(['a', '\0', '🙂', '"', '\\']).repeat(1 + random.below(20_000));
  return random.pick(TEXTS);
}

/** Any JSON text, or something that only looks like it. */
export function pickValueText(random: Random): string {
  const kind = random.below(20);
  if (kind < 9) return pickNumberText(random);
  if (kind < 14) return JSON.stringify(pickText(random));
  if (kind < 19) return random.pick(VALUES);
  return nestDeeply(random);
}

/** Brackets around nothing; sometimes they are never closed. */
export function nestDeeply(random: Random): string {
  const depth = random.pick([10, 100, 999, 1_000, 1_001, 3_000, 20_000]);
  const [open, close] = random.pick([['[', ']'] as const, ['{"a":', '}'] as const, ['[{"a":', '}]'] as const]);
  return `${open.repeat(depth)}${random.chance(0.8) ? '1' : ''}${random.chance(0.8) ? close.repeat(depth) : ''}`;
}
