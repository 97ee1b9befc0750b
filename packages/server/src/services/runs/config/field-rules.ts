import { type judgeFieldKind, LachesisError, type ConfigField, type FieldKind } from '@lachesis/protocol';
import type { JsonValue } from '@lachesis/store';
import { readFieldValue } from './read-field-value.ts';

type JudgedField = Parameters<typeof judgeFieldKind>[0];

/** A field that can be asked for, with what its environment declares. */
export type RuledField = ConfigField & Pick<JudgedField, 'kind'>;

/** What the rules are made of; each is one of them, and is handed in. */
export interface FieldGuards {
  /** What the value of a field can do. */
  kindOf(field: JudgedField, value?: unknown): FieldKind;
  /** Whether the recipe sets the field and does not list it as editable. */
  isLocked(name: string): boolean;
  /** Whether the recipe lists the field as editable. */
  isEditable(name: string): boolean;
  /** Where a path leads, from the project's folder on and with links followed; undefined when that is outside, or a secret. */
  followPath(given: string): Promise<string | undefined>;
  /** Whether a text is an address and no path. */
  isAddress(text: string): boolean;
  /** Throws for one that may not be asked. Looks its name up too where it is about to be used. */
  checkAddress(address: string, use: { isAtStart: boolean }): Promise<void>;
}

/** What an agent or a program may set through the API. */
export interface FieldRules {
  /** The kind that people and tools are shown. */
  kindOf(field: JudgedField, value?: unknown): FieldKind;
  /** Why nobody may set it through the API; undefined for who may. */
  findLock(field: RuledField): string | undefined;
  /** The value as it is used: paths as they really are. Throws `invalid` with what is wrong. */
  check(field: RuledField, value: unknown, use: { isAtStart: boolean }): Promise<JsonValue>;
}

export function createFieldRules(guards: FieldGuards, { recipeName }: { recipeName: string }): FieldRules {
  const findLock = (field: RuledField, value?: unknown): string | undefined => {
    const { name } = field;
    if (guards.isLocked(name)) return `its value comes from the recipe ${recipeName}`;
    if (guards.isEditable(name)) return undefined;
    const kind = guards.kindOf(field, value);
    return kind === 'value'
      ? undefined
      : `its value is ${WORDS[kind]}, and the recipe ${recipeName} does not list it as editable`;
  };
  const kindOf = (field: JudgedField, value?: unknown): FieldKind => guards.kindOf(field, value);
  return {
    kindOf,
    findLock: (field) => findLock(field),
    async check(field, given, use) {
      const reason = findLock(field, given);
      if (reason !== undefined) throw lockedError(field.name, reason);
      const value = readFieldValue(field, given);
      const kind = kindOf(field, value);
      if (kind === 'value') return value;
      return await mapTexts(value, (text) => checkPlace(guards, { name: field.name, kind, text }, use));
    },
  };
}

const WORDS: Readonly<Record<FieldKind, string>> = {
  value: 'a plain value',
  path: 'a path',
  url: 'an address',
  code: 'code that is run',
};

export const lockedError = (name: string, reason: string): LachesisError =>
  new LachesisError({
    code: 'invalid',
    message: `${name} is locked: ${reason}`,
    hint: `A person can change it in the recipe (lachesis serve control --recipe <file>), or list it there: editable: [${name}].`,
  });

async function checkPlace(
  guards: FieldGuards,
  { name, kind, text }: { name: string; kind: FieldKind; text: string },
  use: { isAtStart: boolean },
): Promise<string> {
  if (kind === 'url' || guards.isAddress(text)) {
    try {
      await guards.checkAddress(text, use);
    } catch (error) {
      const { message, hint } = error as { message: string; hint?: string };
      throw new LachesisError({
        code: 'invalid',
        message: `${name}: ${message}`,
        ...(hint === undefined ? {} : { hint }),
        cause: error,
      });
    }
    return text;
  }
  const found = await guards.followPath(text);
  if (found !== undefined) return found;
  throw new LachesisError({
    code: 'invalid',
    message: `${name}: ${JSON.stringify(text.slice(0, 200))} is not a file that may be named here`,
    hint: 'Name one below the folder the control server was started in, and none where secrets are kept. Links are followed.',
  });
}

/** Every text in a value, lists and objects included. */
async function mapTexts(value: JsonValue, change: (text: string) => Promise<string>): Promise<JsonValue> {
  if (typeof value === 'string') return await change(value);
  if (Array.isArray(value)) return await Promise.all(value.map((each) => mapTexts(each, change)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as Record<string, JsonValue>);
  return Object.fromEntries(
    await Promise.all(entries.map(async ([name, each]) => [name, await mapTexts(each, change)] as const)),
  );
}
