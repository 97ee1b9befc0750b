import type { RecordOptions } from '../recorder/default-recorder.ts';
import { RecorderError } from '../recorder/recorder-error.ts';
import { recordFetch } from './record-fetch.ts';

const recorded = Symbol.for('lachesis.sdk.recorded');

/**
 * Records every call of an `openai` client and returns the same client: `const client = recordOpenAI(new OpenAI())`. Chat,
 * completions and responses, whole and streamed; also through `stream()`, `parse()` and `runTools()`.
 */
export function recordOpenAI<Client extends object>(client: Client, options: RecordOptions = {}): Client {
  // Where every call of the client passes, whatever helper made it. Private in its types, an option of its constructor.
  const inside = client as { fetch?: ((...args: never[]) => unknown) & { [recorded]?: true } };
  // Also of a client made from a recorded one, which inherits its fetch.
  if (inside.fetch?.[recorded] === true) return client;
  if (typeof inside.fetch !== 'function') {
    throw new RecorderError({
      what: 'This client cannot be recorded',
      reason: 'it is not one of the `openai` package: it has no `fetch`',
      hint: 'Give the client `fetch: recordFetch(fetch)`, or point its base URL at `lachesis serve inference`',
    });
  }
  inside.fetch = Object.assign(recordFetch(inside.fetch as typeof fetch, options), { [recorded]: true as const });
  return client;
}
