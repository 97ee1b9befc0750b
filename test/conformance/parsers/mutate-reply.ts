import type { Random } from '../render/random.ts';

const PARTS = [
  '{',
  '}',
  '"',
  '[',
  ']',
  ',',
  ':',
  '\\',
  '<',
  '>',
  '</',
  '\n',
  ' ',
  '```',
  '🎌',
  '\ud83d',
  '\u0000',
  '1e999',
  'null',
];

export interface MutateOptions {
  readonly text: string;
  /** Another reply, from which parts are taken over. */
  readonly other: string;
  readonly random: Random;
}

/** Damages a reply a few times over: cut, double, swap, splice, insert. */
export function mutateReply({ text, other, random }: MutateOptions): string {
  let result = text;
  for (let round = 1 + random.integer(4); round > 0; round -= 1) {
    const from = random.integer(result.length + 1);
    const to = Math.min(result.length, from + random.integer(24));
    const part = result.slice(from, to);
    switch (random.integer(6)) {
      case 0:
        result = result.slice(0, from) + result.slice(to);
        break;
      case 1:
        result = result.slice(0, to) + part.repeat(1 + random.integer(3)) + result.slice(to);
        break;
      case 2:
        result = result.slice(0, from) + random.pick(PARTS) + result.slice(from);
        break;
      case 3:
        result = result.slice(0, from) + other.slice(random.integer(other.length + 1)) + result.slice(to);
        break;
      case 4:
        result = result.slice(0, from);
        break;
      default:
        result = result.slice(to) + result.slice(0, from);
    }
  }
  return result;
}
