import { TinkerValidationError } from '../errors/server-errors.ts';
import type { OnTinkerEvent } from '../events.ts';
import type { ServerProfile } from './server-profile.ts';

/** Leaves out of a request what the server refuses: known from its profile, or learnt from its first refusal. */
export class FieldFilter {
  readonly #refused = new Map<string, Set<string>>();
  readonly #onEvent: OnTinkerEvent;

  constructor({ profile, onEvent }: { profile: ServerProfile; onEvent: OnTinkerEvent }) {
    this.#onEvent = onEvent;
    for (const [operation, fields] of Object.entries(profile.refusedFields))
      this.#refused.set(operation, new Set(fields));
  }

  /** The body without the refused fields and without those that are undefined. */
  clean(operation: string, body: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const refused = this.#refused.get(operation);
    return withoutFields(body, refused ?? new Set(), '');
  }

  /**
   * Learns from a refusal. True when it named only fields the server does not know, so that the request may be sent once
   * more without them. A field of `required` is never given up.
   */
  learn(operation: string, error: unknown, required: ReadonlySet<string>): boolean {
    if (!TinkerValidationError.isInstance(error) || error.fields.length === 0) return false;
    if (error.fields.some(({ field, isUnknown }) => isUnknown !== true || required.has(field))) return false;
    const known = this.#refused.get(operation) ?? new Set();
    const learnt = error.fields.filter(({ field }) => !known.has(field));
    for (const { field } of learnt) {
      known.add(field);
      this.#onEvent({ type: 'field-stripped', operation, field });
    }
    this.#refused.set(operation, known);
    return learnt.length > 0;
  }
}

function withoutFields(
  body: Readonly<Record<string, unknown>>,
  refused: ReadonlySet<string>,
  prefix: string,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const path = `${prefix}${name}`;
    if (value === undefined || refused.has(path)) continue;
    kept[name] = isPlainObject(value) ? withoutFields(value, refused, `${path}.`) : value;
  }
  return kept;
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
