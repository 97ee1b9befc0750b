import { describeNames, isName, type NamedThing } from '@lachesis/protocol/names';

/**
 * What a setting may be. Plain functions instead of a schema library, because the command line and the small parent
 * process read settings too, and the library alone is a third of what the parent may weigh.
 */
export type SettingKind<T> = (given: unknown) => { value: T } | { refusal: string };

export function wholeNumber(bounds: { min: number; max: number }): SettingKind<number> {
  return (given) => {
    const value = toNumber(given);
    if (value === null || !Number.isSafeInteger(value)) return { refusal: 'it must be a whole number' };
    return within(value, bounds);
  };
}

export function number(bounds: { min: number; max: number }): SettingKind<number> {
  return (given) => {
    const value = toNumber(given);
    return value === null ? { refusal: 'it must be a number' } : within(value, bounds);
  };
}

export function flag(): SettingKind<boolean> {
  return (given) => {
    if (given === true || given === 'true' || given === '1') return { value: true };
    if (given === false || given === 'false' || given === '0') return { value: false };
    return { refusal: 'it must be true or false' };
  };
}

export function text(rule?: { pattern: RegExp; refusal: string }): SettingKind<string> {
  return (given) => {
    if (typeof given !== 'string' || given === '') return { refusal: 'it must be a text that is not empty' };
    return rule === undefined || rule.pattern.test(given) ? { value: given } : { refusal: rule.refusal };
  };
}

/** The name of a run or a tenant. */
export function name(thing: NamedThing): SettingKind<string> {
  return (given) =>
    typeof given === 'string' && isName(thing, given)
      ? { value: given }
      : { refusal: `it must be ${describeNames(thing)}` };
}

export function oneOf<T extends string>(words: readonly T[]): SettingKind<T> {
  return (given) => {
    const found = words.find((word) => word === given);
    return found === undefined ? { refusal: `it must be one of ${words.join(', ')}` } : { value: found };
  };
}

/** Texts, or one text that separates them with commas. */
export function list(): SettingKind<string[]> {
  return (given) => {
    const parts = typeof given === 'string' ? given.split(',') : given;
    if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string')) {
      return { refusal: 'it must be texts separated by commas' };
    }
    return { value: parts.map((part) => part.trim()).filter((part) => part !== '') };
  };
}

function toNumber(given: unknown): number | null {
  if (typeof given === 'number') return Number.isFinite(given) ? given : null;
  if (typeof given !== 'string' || given.trim() === '') return null;
  const value = Number(given);
  return Number.isFinite(value) ? value : null;
}

function within(value: number, { min, max }: { min: number; max: number }): { value: number } | { refusal: string } {
  return value >= min && value <= max ? { value } : { refusal: `it must be between ${min} and ${max}` };
}
