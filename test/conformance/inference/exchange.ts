import type { EngineSample } from './scripted-engine.ts';

/** What a client got back: the prompt the server says it used, and the tokens of each sample. */
export interface Received {
  readonly prompt: readonly number[] | undefined;
  readonly choices: readonly { readonly tokens: readonly number[]; readonly logprobs: readonly number[] }[];
}

/** A way to ask for tokens. */
export interface Exchange {
  readonly name: string;
  ask(url: string, messages: readonly Message[], samples: number): Promise<Received>;
}

export type Message = Readonly<Record<'role' | 'content', string>>;

interface Body {
  prompt_token_ids?: number[];
  choices: { index: number; token_ids?: number[]; token_logprobs?: number[] }[];
}

async function post(url: string, path: string, body: unknown): Promise<Response> {
  const reply = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
  return reply;
}

const toReceived = ({ prompt_token_ids: prompt, choices }: Body): Received => ({
  prompt,
  choices: choices.map(({ token_ids: tokens = [], token_logprobs: logprobs = [] }) => ({ tokens, logprobs })),
});

/** The ids of the prompt are those the chat API used: every other one gets them as ids. */
async function promptOf(url: string, messages: readonly Message[]): Promise<number[]> {
  const body = (await (
    await post(url, '/v1/chat/completions', { messages, max_tokens: 1, return_token_ids: true })
  ).json()) as Body;
  return body.prompt_token_ids ?? [];
}

export const exchanges: readonly Exchange[] = [
  {
    name: 'chat',
    ask: async (url, messages, n) =>
      toReceived(
        (await (
          await post(url, '/v1/chat/completions', { messages, n, max_tokens: 999, return_token_ids: true })
        ).json()) as Body,
      ),
  },
  {
    name: 'chat stream',
    async ask(url, messages, n) {
      const body = { messages, n, max_tokens: 999, return_token_ids: true, stream: true };
      const text = await (await post(url, '/v1/chat/completions', body)).text();
      const chunks = text
        .split('\n\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => JSON.parse(line.slice('data: '.length)) as Body);
      const ended = chunks.flatMap(({ choices }) => choices).filter((choice) => choice.token_ids !== undefined);
      const prompt = chunks.find((chunk) => chunk.prompt_token_ids !== undefined)?.prompt_token_ids;
      return toReceived({ choices: ended, ...(prompt === undefined ? {} : { prompt_token_ids: prompt }) });
    },
  },
  {
    name: 'completions',
    async ask(url, messages, n) {
      const prompt = await promptOf(url, messages);
      const body = { prompt, n, max_tokens: 999, return_token_ids: true };
      return toReceived((await (await post(url, '/v1/completions', body)).json()) as Body);
    },
  },
  {
    name: 'generate as SGLang',
    async ask(url, messages, n) {
      const prompt = await promptOf(url, messages);
      const body = { input_ids: prompt, sampling_params: { n, max_new_tokens: 999 }, return_logprob: true };
      const replies = (await (await post(url, '/generate', body)).json()) as SglangReply | SglangReply[];
      const pairs = (Array.isArray(replies) ? replies : [replies]).map((each) => each.meta_info.output_token_logprobs);
      return {
        prompt: undefined,
        choices: pairs.map((each) => ({ tokens: each.map(([, id]) => id), logprobs: each.map(([value]) => value) })),
      };
    },
  },
  {
    name: 'generate as vLLM',
    async ask(url, messages, n) {
      const ids = await promptOf(url, messages);
      const body = { prompt: { prompt_token_ids: ids }, logprobs: 0, n, max_tokens: 999 };
      const reply = (await (await post(url, '/generate', body)).json()) as VllmReply;
      return {
        prompt: reply.prompt_token_ids,
        choices: reply.logprobs.map((positions) => {
          const pairs = positions.map(
            ([only]): [string, number] => Object.entries(only ?? {})[0] ?? ['-1', Number.NaN],
          );
          return { tokens: pairs.map(([id]) => Number(id)), logprobs: pairs.map(([, value]) => value) };
        }),
      };
    },
  },
];

interface SglangReply {
  meta_info: { output_token_logprobs: [number, number, null][] };
}

interface VllmReply {
  prompt_token_ids: number[];
  logprobs: Record<string, number>[][][];
}

/** What differs between what the engine said and what the client got; empty when nothing does. */
export function findDifference(engine: EngineSample | undefined, received: Received): string | undefined {
  if (engine === undefined) return 'the engine was not asked';
  const same = (a: readonly number[], b: readonly number[]): boolean =>
    a.length === b.length && a.every((value, index) => value === b[index]);
  if (received.prompt !== undefined && !same(received.prompt, engine.prompt)) return 'the prompt';
  if (received.choices.length !== engine.sequences.length) return 'the number of samples';
  for (const [index, { tokens, logprobs }] of engine.sequences.entries()) {
    const choice = received.choices[index];
    if (choice === undefined || !same(choice.tokens, tokens)) return `the tokens of sample ${index}`;
    if (!same(choice.logprobs, logprobs)) return `the log probabilities of sample ${index}`;
  }
  return undefined;
}
