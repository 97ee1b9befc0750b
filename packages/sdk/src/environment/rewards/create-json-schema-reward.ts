import { z } from 'zod';
import { isRecord } from '@lachesis/protocol';
import { EnvironmentError } from '../environment-error.ts';
import { scored } from '../outcome.ts';
import { findJson } from './find-json.ts';
import type { Reward } from './reward.ts';

export interface JsonSchemaRewardOptions {
  /** JSON Schema, draft 2020-12 or 7. What cannot be checked is refused here, not ignored. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Take JSON out of a fence or out of the text around it. Default true. */
  readonly allowText?: boolean;
}

/** Words that say nothing without a `type` beside them in the checker we use. */
const NEEDS_TYPE: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'maxProperties'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};

/** 1 when the answer is JSON that fits the schema, else 0. */
export function createJsonSchemaReward({ schema, allowText = true }: JsonSchemaRewardOptions): Reward {
  const checker = readSchema(schema);
  return ({ answer }) => {
    const found = findJson(answer, { allowText });
    const isValid = found !== undefined && checker.safeParse(found.value).success;
    return scored(isValid ? 1 : 0, { json: found === undefined ? 0 : 1, valid: isValid ? 1 : 0 });
  };
}

function readSchema(schema: Readonly<Record<string, unknown>>): z.ZodType {
  const loose = findUntyped(schema, '#');
  if (loose !== undefined)
    throw new EnvironmentError({
      kind: 'bad-definition',
      reason: `The JSON schema has ${loose.word} at ${loose.path} without a type.`,
      hint: `Write "type": "${loose.type}" beside it.`,
    });
  try {
    return z.fromJSONSchema(schema);
  } catch (cause) {
    throw new EnvironmentError({
      kind: 'bad-definition',
      reason: `The JSON schema cannot be checked: ${cause instanceof Error ? cause.message : String(cause)}.`,
      hint: 'Leave that keyword out, or grade with a function of your own.',
      cause,
    });
  }
}

/** Only places where a schema stands: a property may well be called `items`. */
function findUntyped(schema: unknown, path: string): { word: string; path: string; type: string } | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return undefined;
  const fields = schema as Record<string, unknown>;
  if (fields['type'] === undefined && fields['$ref'] === undefined) {
    for (const [type, words] of Object.entries(NEEDS_TYPE)) {
      const word = words.find((name) => fields[name] !== undefined);
      if (word !== undefined) return { word, path, type };
    }
  }
  const inMaps = ['properties', 'patternProperties', '$defs', 'definitions'].flatMap((word) =>
    Object.entries(asRecord(fields[word])).map(([name, part]) => ({ part, at: `${path}/${word}/${name}` })),
  );
  const inPlace = ['items', 'additionalProperties', 'contains', 'not'].map((word) => ({
    part: fields[word],
    at: `${path}/${word}`,
  }));
  const inLists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap((word) =>
    (Array.isArray(fields[word]) ? (fields[word] as unknown[]) : []).map((part, index) => ({
      part,
      at: `${path}/${word}/${index}`,
    })),
  );
  for (const { part, at } of [...inMaps, ...inPlace, ...inLists]) {
    const found = findUntyped(part, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
