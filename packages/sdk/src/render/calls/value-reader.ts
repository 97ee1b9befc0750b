import { isRecord } from '@lachesis/protocol';
import { JsonScanner } from './json-scanner.ts';

export interface NamedValue {
  readonly key: string;
  /** As it was written. */
  readonly text: string;
}

/** What Qwen's own template prints of these values, and so what its models write. */
const PYTHON_WORDS: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
]);

/**
 * Makes an object of named values that are plain text. A parameter whose schema says it is text is what was written, to the
 * last space; of any other, and where no schema is known, what is JSON is read as JSON and the rest stays text. Of two equal
 * names the last counts, as in JSON.
 */
export function readNamedValues(
  values: readonly NamedValue[],
  isText: (key: string) => boolean,
): { arguments: Readonly<Record<string, unknown>>; argumentsText: string } {
  const written = new Map<string, string>();
  for (const { key, text } of values) written.set(key, isText(key) ? JSON.stringify(text) : writeValue(text));
  const argumentsText = `{${Array.from(written, ([key, text]) => `${JSON.stringify(key)}: ${text}`).join(', ')}}`;
  return { arguments: JSON.parse(argumentsText) as Record<string, unknown>, argumentsText };
}

/** Whether the schema of a tool, as the chat APIs have it, says that a parameter is text. */
export function createTextQuestion(
  tools: readonly Readonly<Record<string, unknown>>[],
): (name: string) => (key: string) => boolean {
  const properties = new Map<unknown, Readonly<Record<string, unknown>>>();
  for (const tool of tools) {
    const called = isRecord(tool['function']) ? tool['function'] : tool;
    const parameters = isRecord(called['parameters']) ? called['parameters'] : {};
    properties.set(called['name'], isRecord(parameters['properties']) ? parameters['properties'] : {});
  }
  return (name) => {
    const known = properties.get(name);
    return (key) => known !== undefined && Object.hasOwn(known, key) && isTextSchema(known[key]);
  };
}

function isTextSchema(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  if (schema['type'] === 'string') return true;
  const choices = schema['enum'];
  return (
    schema['type'] === undefined && Array.isArray(choices) && choices.every((choice) => typeof choice === 'string')
  );
}

/** The value as JSON: what was written when that is JSON, and otherwise the text in quotes. */
function writeValue(text: string): string {
  const trimmed = text.trim();
  const word = PYTHON_WORDS.get(trimmed);
  if (word !== undefined) return word;
  // The scanner reads objects and lists; in a list, any value is one, and the list shows that it is only one.
  const scanner = new JsonScanner(0);
  const isJson = scanner.scan(`[${trimmed}]`) === 'done' && scanner.members.length === 1;
  return isJson && scanner.at === trimmed.length + 2 ? trimmed : JSON.stringify(text);
}
