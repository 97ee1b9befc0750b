import type { Random } from '../../simulation/random.ts';
import { pickText, pickValueText } from './hostile-values.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * JSON text of a value with about `faults` of its parts made hostile: another value, a field left out, sent twice or
 * added. It is text and not a value, because the most hostile numbers and repeated keys exist only in text.
 */
export function writeNoisyJson(value: Json, options: { random: Random; faults: number }): string {
  const { random } = options;
  const rate = options.faults / countParts(value);
  const write = (part: Json): string => {
    if (random.chance(rate)) return pickValueText(random);
    if (Array.isArray(part)) return `[${part.map(write).join(',')}]`;
    if (typeof part !== 'object' || part === null) return JSON.stringify(part);
    const fields = Object.entries(part).flatMap(([key, field]) => {
      if (random.chance(rate)) return random.chance(0.5) ? [] : [writeField(key, field), writeField(key, field)];
      return [writeField(key, field)];
    });
    if (random.chance(rate)) {
      const key = random.chance(0.5) ? '__proto__' : pickText(random);
      fields.splice(random.below(fields.length + 1), 0, `${JSON.stringify(key)}:${pickValueText(random)}`);
    }
    return `{${fields.join(',')}}`;
  };
  const writeField = (key: string, field: Json): string => `${JSON.stringify(key)}:${write(field)}`;
  return write(value);
}

function countParts(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, part: Json) => sum + countParts(part), 1);
}
