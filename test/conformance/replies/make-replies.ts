/** A call as it was meant, whatever form it is sent in. */
export interface MeantCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly arguments: string;
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** What a record has to say of a reply. */
export interface ReplyFacts {
  readonly state: 'complete' | 'interrupted' | 'failed';
  /** What was said and what was refused to say: the AI SDK makes one text of both. */
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly MeantCall[];
  readonly finish: string | null;
  readonly usage: Usage | null;
}

export interface ReplyCase {
  readonly name: string;
  readonly endpoint: 'chat' | 'completions';
  readonly isStream: boolean;
  readonly status: number;
  /** What the server sends, cut where it is written. */
  readonly pieces: readonly Buffer[];
  /** `break`: the connection is cut behind the last piece. */
  readonly end: 'close' | 'break';
  readonly meant: ReplyFacts;
  /** Whether the AI SDK hands on the usage as it was sent. */
  readonly isUsageSeen: boolean;
  /** Whether OpenAI's client can put it together: it needs an index for each call, and another for each. */
  readonly isAssembled: boolean;
}

type Draw = <T>(values: readonly T[]) => T;

const TEXTS = [
  '',
  'Yes.',
  'Zwölf Bäume 🌳 und ein "Zitat"\n\nund mehr.',
  'data: [DONE] is a line of its own',
  '{"a": 1}',
];
const THOUGHTS = ['', '', 'hm, 7 × 6', 'Ob das stimmt?'];
const REFUSALS = ['', '', '', '', 'I cannot help with that.'];
const ARGUMENTS = [
  '{}',
  '{"a":1}',
  '{"city":"Kraków","days":[1,2,3]}',
  '{"x":{"y":"}{"},"z":null}',
  '{"n":1.5,"s":"é\\n"}',
];
const NAMES = ['add', 'look_up', 'get-weather'];
const CALL_FORMS = ['openai', 'whole', 'bare', 'by-id', 'object', 'together', 'same-index'] as const;
const USAGE_FORMS = ['none', 'chat', 'no-total', 'responses', 'groq', 'in-choice', 'growing'] as const;
const ENDINGS = ['done', 'done', 'done', 'done', 'no-last-line', 'cut', 'silent', 'error'] as const;

/** The forms in which each call has an index of its own. */
const INDEXED: ReadonlySet<string> = new Set(['openai', 'whole', 'together']);

type CallForm = (typeof CALL_FORMS)[number];
type UsageForm = (typeof USAGE_FORMS)[number];
type Json = Record<string, unknown>;

/** Replies as servers send them, whole and streamed, the same for the same seed. */
export function makeReplies(count: number, seed: number): ReplyCase[] {
  const random = createRandom(seed);
  const draw: Draw = (values) => values[Math.floor(random() * values.length)]!;
  return Array.from({ length: count }, (_, index) => {
    const name = `case-${index}`;
    if (index % 10 === 9) return makeCompletion(name, draw);
    return index % 3 === 0 ? makeWhole(name, draw) : makeStream(name, draw);
  });
}

function drawParts(draw: Draw) {
  const form: CallForm = draw(CALL_FORMS);
  const count = draw([0, 0, 1, 1, 2, 3]);
  const calls = Array.from({ length: count }, (_, index): MeantCall => ({
    // Whole calls without an index often have no id either.
    id: form === 'bare' && draw([true, false]) ? undefined : `call_${index}_${Math.floor(draw([1, 2, 3]) * 1_000)}`,
    name: draw(NAMES),
    arguments: draw(ARGUMENTS),
  }));
  const refusal = count === 0 ? draw(REFUSALS) : '';
  const text = refusal === '' ? draw(TEXTS) : '';
  return { form, calls, refusal, text, thought: draw(THOUGHTS), field: draw(['reasoning_content', 'reasoning']) };
}

function makeWhole(name: string, draw: Draw): ReplyCase {
  const { form, calls, refusal, text, thought, field } = drawParts(draw);
  const usageForm = draw(['none', 'chat', 'no-total', 'responses'] as const);
  const finish = calls.length > 0 ? 'tool_calls' : draw(['stop', 'length']);
  const status = draw([200, 200, 200, 200, 200, 200, 200, 429, 500]);
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? draw(['', null]) : text,
    refusal: refusal === '' ? null : refusal,
    ...(thought === '' ? {} : { [field]: thought }),
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map((call) => ({ ...toCall(call, form === 'object'), type: 'function' })) }),
  };
  const body =
    status === 200
      ? { ...around(name), choices: [{ index: 0, message, finish_reason: finish }], ...usageOf(usageForm) }
      : { error: { message: `no, says ${name}`, type: 'server_error' } };
  return {
    ...{ name, endpoint: 'chat', isStream: false, status, end: 'close', isUsageSeen: true, isAssembled: true },
    pieces: cut(JSON.stringify(body), draw),
    meant:
      status === 200
        ? { state: 'complete', text: text + refusal, reasoning: thought, calls, finish, usage: meantUsage(usageForm) }
        : { state: 'failed', text: '', reasoning: '', calls: [], finish: null, usage: null },
  };
}

function makeStream(name: string, draw: Draw): ReplyCase {
  const { form, calls, refusal, text, thought, field } = drawParts(draw);
  const usageForm = draw(USAGE_FORMS);
  const ending = draw(ENDINGS);
  const finish = calls.length > 0 ? 'tool_calls' : draw(['stop', 'length']);
  const delta = (fields: Json): Json => ({ index: 0, delta: fields, finish_reason: null });
  const chunks: Json[] = [{ choices: [delta({ role: 'assistant', content: draw(['', null]) })] }];
  for (const piece of split(thought, draw)) chunks.push({ choices: [delta({ [field]: piece })] });
  for (const piece of split(text, draw)) chunks.push({ choices: [delta({ content: piece })] });
  for (const piece of split(refusal, draw)) chunks.push({ choices: [delta({ refusal: piece })] });
  for (const pieces of callPieces(calls, form, draw)) chunks.push({ choices: [delta({ tool_calls: pieces })] });
  const isWhole = ending === 'done' || ending === 'no-last-line';
  if (isWhole) {
    const last = { index: 0, delta: {}, finish_reason: finish };
    chunks.push({ choices: [usageForm === 'in-choice' ? { ...last, ...usageOf('chat') } : last] });
    if (usageForm !== 'in-choice' && usageForm !== 'none') chunks.push({ choices: [], ...usageOf(usageForm) });
    if (usageForm === 'growing')
      for (const chunk of chunks.slice(0, -1)) chunk['usage'] = { prompt_tokens: 3, completion_tokens: 1 };
  }
  if (ending === 'error') chunks.push({ error: { message: `broken, says ${name}`, code: 502 } });
  const lineEnd = draw(['\n', '\n', '\r\n']);
  const lines = chunks.map((chunk) =>
    chunk['error'] === undefined
      ? `data: ${JSON.stringify({ ...around(name), object: 'chat.completion.chunk', ...chunk })}`
      : `data: ${JSON.stringify(chunk)}`,
  );
  const events = [draw([': keep-alive', '']), ...lines, ...(ending === 'done' ? ['data: [DONE]'] : [])]
    .filter((line) => line !== '')
    .map((line) => `${line}${lineEnd}${lineEnd}`);
  return {
    ...{ name, endpoint: 'chat', isStream: true, status: 200 },
    pieces: cut(events.join(''), draw),
    end: ending === 'cut' ? 'break' : 'close',
    meant: {
      state: isWhole ? 'complete' : 'interrupted',
      ...{ text: text + refusal, reasoning: thought, calls },
      finish: isWhole ? finish : null,
      usage: isWhole ? meantUsage(usageForm) : null,
    },
    isUsageSeen: usageForm !== 'groq' && usageForm !== 'in-choice',
    isAssembled: calls.length === 0 || INDEXED.has(form) || (form === 'same-index' && calls.length === 1),
  };
}

function makeCompletion(name: string, draw: Draw): ReplyCase {
  const text = draw(TEXTS.filter((each) => each !== ''));
  const isStream = draw([true, false]);
  const usageForm = draw(['chat', 'no-total'] as const);
  const finish = draw(['stop', 'length']);
  const choice = (fields: Json): Json => ({ index: 0, logprobs: null, ...fields });
  const body = isStream
    ? [
        ...split(text, draw).map((piece) => ({ choices: [choice({ text: piece, finish_reason: null })] })),
        { choices: [choice({ text: '', finish_reason: finish })] },
        { choices: [], ...usageOf(usageForm) },
      ]
        .map((chunk) => `data: ${JSON.stringify({ ...around(name), object: 'text_completion', ...chunk })}\n\n`)
        .concat('data: [DONE]\n\n')
        .join('')
    : JSON.stringify({ ...around(name), choices: [choice({ text, finish_reason: finish })], ...usageOf(usageForm) });
  return {
    ...{ name, endpoint: 'completions', isStream, status: 200, end: 'close', isUsageSeen: true, isAssembled: false },
    pieces: cut(body, draw),
    meant: { state: 'complete', text, reasoning: '', calls: [], finish, usage: meantUsage(usageForm) },
  };
}

const around = (name: string): Json => ({
  id: `r-${name}`,
  object: 'chat.completion',
  created: 1,
  model: `${name}-2026`,
});

const toCall = (call: MeantCall, isObject: boolean): Json => ({
  ...(call.id === undefined ? {} : { id: call.id }),
  function: { name: call.name, arguments: isObject ? (JSON.parse(call.arguments) as unknown) : call.arguments },
});

/** The `tool_calls` of each delta, in one of the forms that servers have. */
function callPieces(calls: readonly MeantCall[], form: CallForm, draw: Draw): Json[][] {
  const whole = (call: MeantCall, extra: Json = {}): Json => ({ ...extra, type: 'function', ...toCall(call, false) });
  if (form === 'whole') return calls.map((call, index) => [whole(call, { index })]);
  if (form === 'bare') return calls.map((call) => [whole(call)]);
  if (form === 'same-index') return calls.map((call) => [whole(call, { index: 0 })]);
  if (form === 'object') return calls.map((call) => [{ type: 'function', ...toCall(call, true) }]);
  const inPieces = calls.map((call, index): Json[] => {
    const label = form === 'by-id' ? { id: call.id } : { index };
    const first = { ...label, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
    return [first, ...split(call.arguments, draw).map((piece) => ({ ...label, function: { arguments: piece } }))];
  });
  if (form !== 'together') return inPieces.flat().map((piece) => [piece]);
  // Several at once: the first pieces of all in one delta, then the second of all.
  const longest = Math.max(0, ...inPieces.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => inPieces.flatMap((pieces) => pieces.slice(at, at + 1)));
}

function usageOf(form: UsageForm): Json {
  const counts = { prompt_tokens: 31, completion_tokens: 7 };
  if (form === 'none') return {};
  if (form === 'responses') return { usage: { input_tokens: 31, output_tokens: 7, total_tokens: 38 } };
  if (form === 'groq') return { x_groq: { usage: { ...counts, total_tokens: 38 } } };
  return { usage: form === 'no-total' ? counts : { ...counts, total_tokens: 38 } };
}

const meantUsage = (form: UsageForm): Usage | null =>
  form === 'none' ? null : { prompt_tokens: 31, completion_tokens: 7, total_tokens: 38 };

/** A text in pieces of a few characters. */
function split(text: string, draw: Draw): string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0; at < characters.length;) {
    const length = draw([1, 3, 8]);
    pieces.push(characters.slice(at, at + length).join(''));
    at += length;
  }
  return pieces;
}

/** Bytes as they come off a socket: cut through lines and characters. */
function cut(text: string, draw: Draw): Buffer[] {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = draw([17, 200, 1_000, 100_000]);
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
