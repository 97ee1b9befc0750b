import OpenAI from 'openai';

const HELLO = [{ role: 'user' as const, content: 'hi' }];
const CALL = [{ role: 'user' as const, content: 'call' }];
const TOOLS = [
  { type: 'function' as const, function: { name: 'add', description: 'adds', parameters: { type: 'object' } } },
];
const ROLLOUT = '0192aaaa-0000-7000-8000-000000000000';

/** What our replies carry beyond the types of the client. */
interface Extras {
  token_ids?: number[];
  token_logprobs?: number[];
  rollout_id?: string;
}

/** Makes the calls of `client.py` with the official Node client, and tells the same facts. */
export async function askWithNodeClient(url: string): Promise<Map<string, unknown>> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any-key', maxRetries: 0 });
  const facts = new Map<string, unknown>();
  const models: string[] = [];
  for await (const model of client.models.list()) models.push(model.id);
  facts.set('models', models);
  await askChat(client, facts);
  await askStream(client, facts);
  await askTools(client, facts);
  await askCompletions(client, facts);
  facts.set(
    'bad parameter',
    await refused(() => client.chat.completions.create({ model: 'policy', messages: HELLO, frequency_penalty: 1 })),
  );
  facts.set(
    'wrong policy',
    await refused(() =>
      client.chat.completions.create({ model: 'policy', messages: HELLO }, { headers: { 'x-lachesis-policy': '9' } }),
    ),
  );
  facts.set('no such path', await refused(() => client.embeddings.create({ model: 'policy', input: 'x' })));
  return facts;
}

async function askChat(client: OpenAI, facts: Map<string, unknown>): Promise<void> {
  const body = {
    ...{ model: 'policy', messages: HELLO, n: 2, max_tokens: 50, temperature: 0.7, top_p: 0.9, seed: 3 },
    ...{ stop: ['\0'], logprobs: true, return_token_ids: true },
  };
  const chat = await client.chat.completions.create(body, { headers: { 'x-lachesis-rollout-id': ROLLOUT } });
  const choices = chat.choices as ((typeof chat.choices)[number] & Extras)[];
  const { prompt_token_ids: prompt, policy_version: policy } = chat as unknown as Record<string, unknown>;
  facts.set('chat', {
    roles: choices.map(({ message }) => message.role),
    contents: choices.map(({ message }) => message.content),
    finish: choices.map((choice) => choice.finish_reason),
    tokens: choices.map((choice) => choice.token_ids),
    named: choices.map((choice) => choice.logprobs?.content?.map(({ logprob }) => logprob)),
    logprobs: choices.map((choice) => choice.token_logprobs),
    prompt,
    policy,
    rollout: choices.map((choice) => choice.rollout_id),
    usage: [chat.usage?.prompt_tokens, chat.usage?.completion_tokens, chat.usage?.total_tokens],
  });
}

async function askStream(client: OpenAI, facts: Map<string, unknown>): Promise<void> {
  const body = {
    ...{ model: 'policy', messages: HELLO, max_tokens: 50, return_token_ids: true },
    ...{ stream: true as const, stream_options: { include_usage: true } },
  };
  let [text, tokens, finish, completionTokens] = ['', [] as number[], [] as string[], 0];
  for await (const chunk of await client.chat.completions.create(body)) {
    completionTokens = chunk.usage?.completion_tokens ?? completionTokens;
    for (const choice of chunk.choices as ((typeof chunk.choices)[number] & Extras)[]) {
      text += choice.delta.content ?? '';
      tokens = [...tokens, ...(choice.token_ids ?? [])];
      if (choice.finish_reason !== null) finish = [...finish, choice.finish_reason];
    }
  }
  facts.set('stream', { text, finish, tokens, completion_tokens: completionTokens });
}

async function askTools(client: OpenAI, facts: Map<string, unknown>): Promise<void> {
  const body = { model: 'policy', messages: CALL, tools: TOOLS, max_tokens: 200 };
  const called = await client.chat.completions.create(body);
  facts.set('tools', {
    finish: called.choices[0]?.finish_reason,
    calls: readCalls(called),
    has_id: called.choices[0]?.message.tool_calls?.every(({ id }) => id !== '') ?? false,
  });
  facts.set('tools stream', readCalls(await client.chat.completions.stream(body).finalChatCompletion()));
}

function readCalls(chat: OpenAI.ChatCompletion): unknown[] | undefined {
  return chat.choices[0]?.message.tool_calls?.map((call) =>
    call.type === 'function' ? [call.function.name, JSON.parse(call.function.arguments)] : [],
  );
}

async function askCompletions(client: OpenAI, facts: Map<string, unknown>): Promise<void> {
  const body = { model: 'policy', prompt: [5, 6, 7], n: 2, max_tokens: 50, logprobs: 1, return_token_ids: true };
  const plain = await client.completions.create(body);
  const choices = plain.choices as ((typeof plain.choices)[number] & Extras)[];
  facts.set('completions', {
    texts: choices.map(({ text }) => text),
    tokens: choices.map((choice) => choice.token_ids),
    named: choices.map((choice) => choice.logprobs?.token_logprobs),
    prompt: (plain as unknown as Record<string, unknown>)['prompt_token_ids'],
  });
  let text = '';
  const stream = await client.completions.create({ model: 'policy', prompt: 'hi', max_tokens: 50, stream: true });
  for await (const chunk of stream) text += chunk.choices[0]?.text ?? '';
  facts.set('completions stream', text);
}

async function refused(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) throw error;
    return { class: error.constructor.name, status: error.status, param: error.param, type: error.type };
  }
  return null;
}
