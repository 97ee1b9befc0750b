import type { RecordedMessage } from '@lachesis/protocol';
import { isFields, toRecordedMessage } from './to-recorded-message.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that come in pieces of text. */
const TEXTS = new Set(['content', 'reasoning_content', 'reasoning', 'refusal']);

/** A message that arrives as deltas. */
export class FoldedMessage {
  readonly #fields: Record<string, unknown> = { role: 'assistant', content: null };
  readonly #calls: Record<string, unknown>[] = [];

  take(delta: Fields): void {
    for (const [name, value] of Object.entries(delta)) {
      if (value === null || value === undefined) continue;
      if (name === 'tool_calls') {
        if (Array.isArray(value)) for (const call of value) if (isFields(call)) this.#takeCall(call);
      } else if (TEXTS.has(name) && typeof value === 'string') {
        const known = this.#fields[name];
        this.#fields[name] = typeof known === 'string' ? known + value : value;
      } else if (Array.isArray(value)) {
        const known = (this.#fields[name] ??= []);
        if (Array.isArray(known)) known.push(...(value as unknown[]));
      } else this.#fields[name] = value;
    }
  }

  read(): RecordedMessage {
    const { content, ...rest } = this.#fields;
    // A reply of calls alone streams an empty content, and is null when it is not streamed.
    const said = content === '' && this.#calls.length > 0 ? null : content;
    return toRecordedMessage({
      ...rest,
      content: said,
      ...(this.#calls.length === 0 ? {} : { tool_calls: this.#calls }),
    });
  }

  #takeCall(piece: Fields): void {
    const { index, id, type, function: called, ...rest } = piece;
    const place = typeof index === 'number' ? index : this.#findPlace(id);
    const call = (this.#calls[place] ??= { type: 'function', function: { name: '', arguments: '' } });
    Object.assign(call, rest);
    if (typeof id === 'string' && id !== '') call['id'] = id;
    if (typeof type === 'string') call['type'] = type;
    if (!isFields(called)) return;
    const known = call['function'] as { name: string; arguments: string };
    const { name, arguments: text } = called;
    if (typeof name === 'string') known.name += name;
    if (typeof text === 'string') known.arguments += text;
    else if (isFields(text)) known.arguments = JSON.stringify(text);
  }

  /** Servers that send no index send each call whole, or name it by its id. */
  #findPlace(id: unknown): number {
    if (typeof id !== 'string') return Math.max(0, this.#calls.length - 1);
    const known = this.#calls.findIndex((call) => call['id'] === id);
    return known < 0 ? this.#calls.length : known;
  }
}
