import type { Random } from '../render/random.ts';
import type { CallWriter, MeantCall } from './corpus/call-writer.ts';

const WORDS = [
  'a',
  'é',
  '日本',
  '🎌',
  '"',
  "'",
  '\\',
  '\n',
  '\n\n',
  ' ',
  '  ',
  '{',
  '}',
  '[',
  ']',
  '<',
  '>',
  '</',
  '`',
  ':',
  ',',
  'true',
  '7',
  'None',
  '\t',
  '\u2028',
];
const KEYS = ['path', 'content', 'x', 'y_2', 'größe', '鍵', 'dash-key', 'constructor', '__proto__', '0'];
const NAMES = ['f', 'read_file', 'get-weather', 'a1', 'search_2'];

/** What would end a value that stands without quotes; such a value no template can print. */
const TAGS = /<\/?(?:tool_call|function|parameter|arg_key|arg_value)[=>]/;

/** A few calls with values of every kind, as deep as tools have them. */
export function makeCalls(random: Random, writer: CallWriter): readonly MeantCall[] {
  return random.list(1 + random.integer(3), () => {
    const keys = KEYS.filter(() => random.chance(0.3));
    return { name: random.pick(NAMES), values: keys.map((key) => [key, makeValue(random, writer, 0)] as const) };
  });
}

function makeValue(random: Random, writer: CallWriter, depth: number): string {
  const kind = random.integer(depth > 2 ? 6 : 8);
  if (kind <= 2) return makeText(random, writer);
  if (kind === 3) return random.pick(['0', '-1', '42', '1.5', '-2.5e-3', '1e21', '9007199254740993', '3.0']);
  if (kind === 4) return random.pick(['true', 'false']);
  if (kind === 5) return 'null';
  const items = random.list(random.integer(4), () => makeValue(random, writer, depth + 1));
  if (kind === 6) return `[${items.join(', ')}]`;
  return `{${items.map((item, index) => `"k${index}": ${item}`).join(', ')}}`;
}

function makeText(random: Random, writer: CallWriter): string {
  const text = random.list(random.integer(9), () => random.pick(WORDS)).join('');
  return JSON.stringify(writer.hasPlainValues && TAGS.test(text) ? 'text' : text);
}

/** The tools of these calls as the chat APIs have them: the type of each parameter is that of its value. */
export function makeTools(calls: readonly MeantCall[]): readonly Readonly<Record<string, unknown>>[] {
  return calls.map(({ name, values }) => ({
    type: 'function',
    function: {
      name,
      parameters: {
        type: 'object',
        properties: Object.fromEntries(values.map(([key, json]) => [key, { type: nameType(json) }])),
      },
    },
  }));
}

function nameType(json: string): string {
  if (json.startsWith('"')) return 'string';
  if (json.startsWith('[')) return 'array';
  if (json.startsWith('{')) return 'object';
  if (json === 'true' || json === 'false') return 'boolean';
  return json === 'null' ? 'null' : 'number';
}
