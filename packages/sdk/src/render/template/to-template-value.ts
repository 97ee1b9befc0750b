import { RenderError } from '../errors/render-error.ts';
import { PythonFloat } from '../python/python-float.ts';
import type { Value } from './values.ts';

/** Deeper nesting is a cycle, or would end the stack. */
const DEPTH_LIMIT = 600;

/**
 * Turns what a user handed in into what a template computes with. Numbers become what `json.loads` would have made of their
 * JSON text; properties that are undefined are left out, as JSON leaves them out.
 */
export function toTemplateValue(input: unknown, changeText: (text: string) => string, place: string, depth = 0): Value {
  if (input === null || typeof input === 'boolean' || typeof input === 'bigint') return input;
  if (typeof input === 'string') return changeText(refuseLoneSurrogate(input, place));
  if (typeof input === 'number')
    return Number.isSafeInteger(input) && !Object.is(input, -0) ? input : new PythonFloat(input);
  if (PythonFloat.isInstance(input)) return new PythonFloat(input.value);
  if (depth > DEPTH_LIMIT) throw badInput(place, `is nested deeper than ${DEPTH_LIMIT}`);
  if (Array.isArray(input)) {
    return input.map((item: unknown, index) => toTemplateValue(item, changeText, `${place}[${index}]`, depth + 1));
  }
  if (typeof input === 'object') {
    const entries: Iterable<[unknown, unknown]> = input instanceof Map ? input : Object.entries(input);
    const dict = new Map<Value, Value>();
    for (const [key, value] of entries) {
      if (value === undefined) continue;
      const name = String(key);
      dict.set(
        changeText(refuseLoneSurrogate(name, place)),
        toTemplateValue(value, changeText, `${place}.${name}`, depth + 1),
      );
    }
    return dict;
  }
  throw badInput(place, `is ${input === undefined ? 'undefined' : `a ${typeof input}`}, which no JSON holds`);
}

function refuseLoneSurrogate(text: string, place: string): string {
  if (text.isWellFormed()) return text;
  throw new RenderError({
    kind: 'lone-surrogate',
    reason: `${place} holds half of a surrogate pair, which has no UTF-8 form and so no tokens.`,
    hint: 'Mend it with text.toWellFormed(), or leave the message out.',
  });
}

const badInput = (place: string, reason: string): RenderError =>
  new RenderError({ kind: 'bad-input', reason: `${place} ${reason}.` });
