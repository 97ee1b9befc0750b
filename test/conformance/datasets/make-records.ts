import type { ConversationRecord, DataRecord, OfferedTool, PreferenceRecord, ChatMessage } from '@lachesis/protocol';
import { type Random, createRandom } from '../render/random.ts';

const WORDS = [
  ...['the', 'order', 'returns', '1,234.56', 'naïve', 'café', 'straße', '日本語', '简体中文，', 'Кириллица', 'العربية'],
  ...[
    '👩‍👩‍👧‍👦',
    '🤷🏽‍♀️',
    'e\u0301',
    '\u200bzero',
    '"quoted"',
    "it's",
    '\\n',
    '{"a": 1}',
    '```code```',
    '<b>',
    '100%',
    '\u2028',
    '\t',
  ],
];

/** Schemas that share names and differ in types: as Arrow structs, each would get the fields of all others. */
const TOOLS: readonly OfferedTool[] = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather of a city',
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'Name' },
          unit: { type: 'string', enum: ['C', 'F'], default: 'C' },
        },
        required: ['city'],
      },
    },
  },
  {
    type: 'function',
    function: {
      name: 'search',
      description: 'Looks for pages',
      parameters: {
        type: 'object',
        properties: {
          query: { type: 'string' },
          limit: { type: 'integer', default: 10, minimum: 1 },
          exact: { type: ['boolean', 'null'], default: null },
        },
        required: ['query'],
        additionalProperties: false,
      },
      strict: true,
    },
  },
  {
    type: 'function',
    function: {
      name: 'run_code',
      description: 'Runs Python',
      parameters: {
        type: 'object',
        properties: {
          code: { type: 'string' },
          files: { type: 'array', items: { type: 'object', properties: { path: { type: 'string' } } } },
        },
      },
    },
  },
  {
    type: 'function',
    function: { name: 'now', description: 'The time', parameters: { type: 'object', properties: {} } },
  },
];

const ARGUMENTS = [
  '{}',
  '{"city": "Zürich"}',
  '{"query":"a b","limit":10,"exact":null}',
  '{"x": 1.0, "y": 9007199254740993}',
  '{"code": "print(1)\\n", "files": [{"path": "/a"}]}',
];

export interface MakeRecordsOptions {
  seed: number;
  count: number;
  /** Contents in parts and fields of providers, which no column has. */
  hasOddMessages?: boolean;
  hasTools?: boolean;
  hasTokens?: boolean;
}

/** The same conversations for the same options, always. */
export function makeConversations(options: MakeRecordsOptions): ConversationRecord[] {
  const random = createRandom(options.seed);
  return random.list(options.count, (index) => makeConversation(random, index, options));
}

export function makePreferences(options: MakeRecordsOptions): PreferenceRecord[] {
  const random = createRandom(options.seed);
  return random.list(options.count, (index) => {
    const { messages, tools } = makeDialogue(random, index, options);
    return {
      kind: 'preference',
      id: `pair-${index}`,
      trajectory_id: random.chance(0.5) ? `trajectory-${index}` : null,
      prompt: messages.slice(0, -1),
      chosen: messages.slice(-1),
      rejected: [{ role: 'assistant', content: `${makeText(random)} ${index}` }],
      tools,
      feedback_ids: random.list(1 + random.integer(2), (at) => `feedback-${index}-${at}`),
      tags: random.chance(0.5) ? ['rated'] : [],
      split: random.chance(0.1) ? 'test' : 'train',
      weight: random.pick([1, 0.5]),
      consent: 'train',
      extra: random.chance(0.2) ? { lachesis: { from: 'edit' } } : {},
    };
  });
}

function makeConversation(random: Random, index: number, options: MakeRecordsOptions): ConversationRecord {
  const { messages, tools } = makeDialogue(random, index, options);
  const length = 8 + random.integer(24);
  const hasTokens = options.hasTokens === true;
  return {
    kind: 'conversation',
    id: `row-${index}`,
    trajectory_id: random.chance(0.5) ? `trajectory-${index}` : null,
    messages,
    tools,
    model: hasTokens || random.chance(0.7) ? 'qwen3-8b' : null,
    timestamp: random.chance(0.5) ? '2026-11-01T10:00:00.000Z' : null,
    completed: true,
    partial: false,
    reward: random.chance(0.5) ? random.pick([0, 1, 0.25, -1.5]) : null,
    rating: random.chance(0.3) ? random.pick([0, 0.5, 1]) : null,
    tags: random.chance(0.4) ? ['nightly', 'größe'] : [],
    split: random.chance(0.1) ? 'test' : 'train',
    weight: random.pick([1, 1, 0.5]),
    consent: 'train',
    tokens: hasTokens
      ? {
          token_ids: random.list(length, () => random.integer(150_000)),
          mask: random.list(length, (at) => (at < 5 ? 0 : 1)),
          logprobs: random.list(length, (at) => (at < 5 ? 0 : -random.next() * 4)),
        }
      : null,
    extra: random.chance(0.2) ? { lachesis: { turn_index: index, note: null } } : {},
  };
}

function makeDialogue(
  random: Random,
  index: number,
  { hasOddMessages = false, hasTools = true }: MakeRecordsOptions,
): { messages: ChatMessage[]; tools: DataRecord['tools'] } {
  const tools = hasTools && random.chance(0.5) ? TOOLS.filter(() => random.chance(0.5)) : null;
  const messages: ChatMessage[] = [];
  if (random.chance(0.4)) messages.push({ role: 'system', content: makeText(random) });
  const turns = 1 + random.integer(3);
  for (let turn = 0; turn < turns; turn++) {
    messages.push({ role: 'user', content: `${makeText(random)} ${index}.${turn}` });
    if (tools !== null && tools.length > 0 && random.chance(0.6))
      messages.push(...makeCalls(random, tools, `${index}x${turn}`));
    messages.push({
      role: 'assistant',
      content: makeText(random),
      ...(random.chance(0.2) ? { reasoning_content: makeText(random) } : {}),
    });
  }
  if (hasOddMessages && random.chance(0.2)) {
    const at = messages.findIndex(({ role }) => role === 'user');
    const content = [
      { type: 'text', text: makeText(random) },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ];
    messages[at] = { role: 'user', content, name: 'somebody', provider_field: { nested: [1, null, 'x'] } };
  }
  return { messages, tools: tools !== null && tools.length === 0 ? null : tools };
}

function makeCalls(random: Random, tools: readonly OfferedTool[], mark: string): ChatMessage[] {
  // One call at a time: the templates of Llama 3 refuse more.
  const name = random.pick(tools).function?.name ?? 'now';
  // Nine letters and digits, as Mistral's template asks for.
  const id = `c${mark}`
    .padEnd(9, '0')
    .replaceAll(/[^a-z0-9]/g, '0')
    .slice(0, 9);
  return [
    {
      role: 'assistant',
      content: random.chance(0.5) ? null : makeText(random),
      tool_calls: [{ id, type: 'function', function: { name, arguments: random.pick(ARGUMENTS) } }],
    },
    { role: 'tool', tool_call_id: id, name, content: random.chance(0.5) ? makeText(random) : '{"result": 1.0}' },
  ];
}

function makeText(random: Random): string {
  return random.list(1 + random.integer(12), () => random.pick(WORDS)).join(' ');
}
