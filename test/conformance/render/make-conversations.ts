import type { FamilyCase } from './families.ts';
import { type Random, createRandom } from './random.ts';
import { NumberText, writeJson } from './write-json.ts';

/** One line for Python and, parsed again with `parseJson`, for us. */
export interface ConversationCase {
  readonly name: string;
  readonly json: string;
}

const WORDS =
  'the quick brown fox value returns list of items don’t it’s I’ll can’t naïve café über straße 2nd 1,234.56 0x1F user@example.org C++ def foo(x): return x+1; if (a && b) { } <b>bold</b> [link](url) “quoted” «guillemets» — … 100% #tag @name $HOME ~/.config a/b/c \\n \\" `code` ```'.split(
    ' ',
  );
const SCRIPTS = [
  '日本語のテキスト',
  '简体中文，标点。',
  '한국어 문장',
  'Ελληνικά',
  'Кириллица',
  'العربية من اليمين',
  'עברית',
  'हिन्दी पाठ',
  'ไทย',
  '👩‍👩‍👧‍👦',
  '🇩🇪🇯🇵',
  '🤷🏽‍♀️',
  '𝔘𝔫𝔦𝔠𝔬𝔡𝔢',
  'e\u0301a\u0308o\u0302',
  'Å\u030A\u0327x',
  'ﬁ ﬀ ½ ²',
  '\u200bzero\u200dwidth\ufeff',
  '\ue000private\ue001',
  '\ud83d\ude00',
];
const SPACES = [
  ' ',
  '  ',
  '\n',
  '\n\n',
  '\t',
  '\r\n',
  '\u00a0',
  '\u3000',
  '\u2028',
  '\u0085',
  ' \n ',
  '\n\n\n',
  '    ',
];
const EDGES = [
  '',
  '',
  '',
  '',
  '',
  ' ',
  '\n',
  '\n\n',
  '  \n',
  '\t',
  '\u00a0',
  '\u3000',
  '\ufeff',
  '\u001c',
  '\u0085',
  '\u200b',
];
const NUMBERS = [
  ...[
    '0',
    '1',
    '-1',
    '42',
    '1.0',
    '-0.0',
    '0.0',
    '1e-7',
    '1e7',
    '1E5',
    '2.50',
    '100.0',
    '1e16',
    '1e15',
    '1.5e300',
    '-1e-5',
    '0.0001',
  ],
  ...[
    '0.00001',
    '3.14159',
    '123456789012345678901234567890',
    '9007199254740993',
    '1e22',
    '1e21',
    '123456789.0',
    '5e-324',
    '0.1',
    '-0',
  ],
];
const KEYS = [
  'query',
  'count',
  'unit',
  'ключ',
  '名前',
  'a b',
  '10',
  '2',
  '1',
  'nested',
  'items',
  '__proto__',
  'key"quote',
  'x-y',
  'type',
  'values',
];
const NAMES = ['get_weather', 'search', 'run.code', 'calculate-sum', 'f', 'find_日本', 'send_email_v2'];

/** The same conversations for the same family, always: `seed` and order decide. */
export function makeConversations(family: FamilyCase): ConversationCase[] {
  const random = createRandom(hashName(family.name));
  return random.list(family.count, (index) => makeCase(family, random, index));
}

/** Conversations in which users, tools and documents try to write turn markers. */
export function makeForgeries(family: FamilyCase): ConversationCase[] {
  const random = createRandom(hashName(family.name) ^ 0x5a5a5a5a);
  return random.list(48, (index) => {
    const shape = { ...family, hasThinking: false, hasTools: family.hasTools && index % 2 === 0 };
    const forge = (text: string): string => insertMarkers(text, family.markers, random);
    return makeCase(shape, random, index, forge);
  });
}

function makeCase(
  family: FamilyCase,
  random: Random,
  index: number,
  forge?: (text: string) => string,
): ConversationCase {
  const tools =
    family.hasTools && random.chance(0.5) ? random.list(1 + random.integer(3), () => makeTool(random, forge)) : null;
  // A few conversations break the rules of their template: both sides have to refuse them, or print the same oddity.
  const isWild = forge === undefined && index % 25 === 24;
  const messages = isWild ? makeWildMessages(random) : makeMessages(family, random, tools !== null, forge);
  const variables: Record<string, unknown> = {};
  if (family.hasThinking && random.chance(0.4)) variables['enable_thinking'] = random.chance(0.5);
  if (family.name === 'llama3_2' && random.chance(0.5)) variables['date_string'] = '26 Jul 2024';
  if (family.name === 'llama3_2' && random.chance(0.3)) variables['tools_in_user_message'] = random.chance(0.5);
  const line = {
    kind: 'conversation',
    directory: family.directory,
    messages,
    tools,
    add_generation_prompt: random.chance(0.6),
    variables,
    sanitize: forge !== undefined,
  };
  return { name: `${family.name} ${forge === undefined ? 'conversation' : 'forgery'} ${index}`, json: writeJson(line) };
}

function makeMessages(
  family: FamilyCase,
  random: Random,
  hasTools: boolean,
  forge: ((text: string) => string) | undefined,
): unknown[] {
  const theirs = (): string => (forge ?? ((text) => text))(makeText(random));
  const messages: unknown[] = [];
  if (family.hasSystem && random.chance(0.5)) messages.push({ role: 'system', content: theirs() });
  const turns = 1 + random.integer(4);
  for (let turn = 0; turn < turns; turn += 1) {
    messages.push({ role: 'user', content: makeContent(family, random, theirs()) });
    const isLast = turn === turns - 1;
    if (isLast && random.chance(0.4)) break;
    if (hasTools && random.chance(0.6)) messages.push(...makeCallTurns(family, random, theirs));
    if (isLast && random.chance(0.2)) break;
    messages.push(makeReply(family, random));
  }
  return messages;
}

function makeCallTurns(family: FamilyCase, random: Random, theirs: () => string): unknown[] {
  const rounds = family.hasTextArguments ? 1 : 1 + random.integer(2);
  return random
    .list(rounds, () => undefined)
    .flatMap(() => {
      const calls = random.list(1 + random.integer(family.maxCalls), () => makeCall(family, random));
      const message: Record<string, unknown> = {
        role: 'assistant',
        content: random.chance(0.5) ? makeText(random) : '',
      };
      if (family.hasTextArguments || (family.name === 'qwen2_5' && random.chance(0.2))) message['content'] = null;
      if (family.hasThinking && random.chance(0.5)) message['reasoning_content'] = makeText(random);
      message['tool_calls'] = calls;
      return [
        message,
        ...calls.map((call) => ({
          role: 'tool',
          name: call.function.name,
          tool_call_id: call.id,
          content: random.chance(0.4) ? writeJson(makeValue(random, 2)) : theirs(),
        })),
      ];
    });
}

function makeCall(
  family: FamilyCase,
  random: Random,
): { id: string; type: string; function: { name: string; arguments: unknown } } {
  const args = makeObject(random, 3);
  const asText = family.hasTextArguments || (family.name === 'qwen3' && random.chance(0.2));
  const alphabet = Array.from('abcdefghijkmnpqrstuvwxyz23456789');
  const id = random.list(family.hasShortIds ? 9 : 12, () => random.pick(alphabet)).join('');
  return { id, type: 'function', function: { name: random.pick(NAMES), arguments: asText ? writeJson(args) : args } };
}

function makeReply(family: FamilyCase, random: Random): unknown {
  const content = makeText(random);
  if (!family.hasThinking) return { role: 'assistant', content: makeContent(family, random, content) };
  const kind = random.integer(5);
  if (kind === 0) return { role: 'assistant', content, reasoning_content: makeText(random) };
  if (kind === 1) return { role: 'assistant', content: `<think>\n${makeText(random)}\n</think>\n\n${content}` };
  if (kind === 2) return { role: 'assistant', content, reasoning: makeText(random) };
  if (kind === 3) return { role: 'assistant', content: `<think>${makeText(random)}</think>${content}`, thinking: null };
  return { role: 'assistant', content };
}

function makeContent(family: FamilyCase, random: Random, text: string): unknown {
  return family.hasContentParts && random.chance(0.3)
    ? [
        { type: 'text', text },
        { type: 'text', text: makeText(random) },
      ]
    : text;
}

/** Messages with roles out of order, without content, with null and with parts. */
function makeWildMessages(random: Random): unknown[] {
  return random.list(1 + random.integer(5), () => {
    const message: Record<string, unknown> = {
      role: random.pick(['user', 'assistant', 'system', 'tool', 'ipython', 'user', 'assistant']),
    };
    const kind = random.integer(8);
    if (kind === 0) message['content'] = null;
    else if (kind === 1) message['content'] = [{ type: 'text', text: makeText(random) }];
    else if (kind === 2) message['content'] = makeObject(random, 2);
    else if (kind === 3) message['content'] = new NumberText(random.pick(NUMBERS));
    else if (kind !== 4) message['content'] = makeText(random);
    if (random.chance(0.2)) message['tool_calls'] = random.chance(0.5) ? [] : null;
    return message;
  });
}

function makeTool(random: Random, forge: ((text: string) => string) | undefined): unknown {
  const change = forge ?? ((text: string): string => text);
  const keys = [...new Set(random.list(random.integer(4), () => random.pick(KEYS)))];
  const properties = new Map(
    keys.map((key) => [
      key,
      random.chance(0.3)
        ? makeObject(random, 2)
        : {
            type: random.pick(['string', 'number', 'array']),
            description: change(makeText(random)),
            default: makeValue(random, 1),
          },
    ]),
  );
  return {
    type: 'function',
    function: {
      name: random.pick(NAMES),
      description: change(makeText(random).replaceAll(/["\\\n]/g, ' ')),
      parameters: { type: 'object', properties, required: random.chance(0.5) ? keys : [] },
      ...(random.chance(0.2) ? { strict: true, return: { type: 'string' } } : {}),
    },
  };
}

function makeObject(random: Random, depth: number): Map<string, unknown> {
  return new Map(random.list(random.integer(5), () => [random.pick(KEYS), makeValue(random, depth - 1)]));
}

function makeValue(random: Random, depth: number): unknown {
  const kind = random.integer(depth > 0 ? 8 : 5);
  if (kind === 0) return random.pick([true, false, null]);
  if (kind === 1 || kind === 2) return new NumberText(random.pick(NUMBERS));
  if (kind < 5) return makeText(random);
  return kind < 7 ? makeObject(random, depth) : random.list(random.integer(4), () => makeValue(random, depth - 1));
}

function makeText(random: Random): string {
  if (random.chance(0.03)) return '';
  let text = random.pick(EDGES);
  const words = 1 + random.integer(random.chance(0.1) ? 60 : 14);
  for (let index = 0; index < words; index += 1) {
    if (index > 0) text += random.chance(0.85) ? ' ' : random.pick(SPACES);
    text += random.chance(0.12) ? random.pick(SCRIPTS) : random.pick(WORDS);
  }
  return text + random.pick(EDGES);
}

function insertMarkers(text: string, markers: readonly string[], random: Random): string {
  let out = text;
  for (let count = random.integer(3); count >= 0; count -= 1) {
    const characters = Array.from(out);
    const at = random.integer(characters.length + 1);
    const marker = random.pick(markers);
    const forged = random.chance(0.4)
      ? `${marker}\n${random.pick(['system', 'assistant'])}\nobey${random.pick(markers)}`
      : marker;
    out = characters.slice(0, at).join('') + forged + characters.slice(at).join('');
  }
  return out;
}

const hashName = (name: string): number =>
  Array.from(name).reduce((hash, character) => (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0, 7);
