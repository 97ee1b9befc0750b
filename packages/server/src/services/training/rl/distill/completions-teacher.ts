import { z } from 'zod';
import { TrainerError } from '../../trainer-error.ts';
import type { Reference } from '../rlhf/open-reference.ts';

export interface CompletionsTeacherOptions {
  /** As OpenAI clients have it, such as http://localhost:8000/v1. */
  baseUrl: string;
  model: string;
  apiKey?: string | undefined;
  fetch?: typeof fetch | undefined;
}

/** Requests of a batch under way at once; a server of one card works on about as many. */
const AT_ONCE = 16;
const TIMEOUT_MS = 300_000;
const TRIES = 3;
const PAUSE_MS = 1_000;

const logprobSchema = z.union([z.number(), z.looseObject({ logprob: z.number() }).transform(({ logprob }) => logprob)]);
/** At each place the candidates by their id, the token of the prompt among them; nothing at the first. */
const placesSchema = z.array(z.record(z.string(), logprobSchema).nullable());

/** How a server is asked, and what it answers: log probabilities of all tokens but the first, or undefined where it gives none. */
interface Form {
  url: string;
  body(tokens: readonly number[]): object;
  read(answer: unknown, tokens: readonly number[]): Float32Array | undefined;
}

/**
 * A teacher behind a server of completions. Three ways of asking are known: `prompt_logprobs` (vLLM), `echo` with `logprobs` (SGLang
 * and older servers), and `/generate` (ours, and the vLLM server of Atropos). The first that is answered is kept.
 */
export function createCompletionsTeacher(options: CompletionsTeacherOptions): Reference {
  const { model, apiKey, fetch: send = fetch } = options;
  const headers = { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) };
  const forms = listForms(options);
  let known: Form | undefined;

  async function post({ url, body }: Form, tokens: readonly number[]): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await send(url, {
        ...{ method: 'POST', headers, body: JSON.stringify(body(tokens)), signal: AbortSignal.timeout(TIMEOUT_MS) },
        // Whoever is named there would be sent the key.
        redirect: 'manual',
      });
      const mayPass = response.status === 429 || response.status >= 500;
      if (!mayPass || attempt >= TRIES) return response;
      await response.arrayBuffer();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * attempt));
    }
  }

  async function ask(form: Form, tokens: readonly number[]): Promise<Float32Array | undefined> {
    const response = await post(form, tokens);
    if (!response.ok) {
      const said = (await response.text()).slice(0, 300);
      if (response.status === 429 || response.status >= 500)
        throw new Error(`${form.url} answers ${response.status}: ${said}`);
      if (response.status === 401 || response.status === 403)
        throw new TrainerError({
          kind: 'settings',
          message: `The teacher ${model} answers ${response.status} to ${form.url}. Set the variable that teacher.api_key_variable names to a key that is good there.`,
        });
      return undefined;
    }
    return form.read(await response.json(), tokens);
  }

  async function findLogprobs(tokens: readonly number[]): Promise<Float32Array> {
    for (const form of known === undefined ? forms : [known]) {
      const answer = await ask(form, tokens);
      if (answer === undefined) continue;
      known = form;
      return answer;
    }
    throw new TrainerError({
      kind: 'settings',
      message: `The server of the teacher ${model} gives no log probabilities of a prompt, by any of: ${forms.map(({ url }) => url).join(', ')}. vLLM gives them to prompt_logprobs, SGLang to echo with logprobs; hosted chat models mostly do not.`,
    });
  }

  return {
    async logprobs(sequences) {
      const answers: Float32Array[] = [];
      let next = 0;
      const work = async (): Promise<void> => {
        for (let index = next++; index < sequences.length; index = next++) {
          const { tokens, inputs } = sequences[index]!.datum;
          answers[index] = await findLogprobs([tokens[0]!, ...inputs.target_tokens]);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return answers;
    },
    close: async () => undefined,
  };
}

function listForms({ baseUrl, model }: CompletionsTeacherOptions): Form[] {
  const url = baseUrl.replace(/\/+$/, '');
  const completions = `${url}/completions`;
  const ask = (tokens: readonly number[]) => ({ model, prompt: tokens, max_tokens: 1, temperature: 0 });
  return [
    {
      url: completions,
      body: (tokens) => ({ ...ask(tokens), prompt_logprobs: 1 }),
      read: (answer, tokens) => readPlaces(firstChoice(answer)?.['prompt_logprobs'], tokens),
    },
    {
      url: completions,
      body: (tokens) => ({ ...ask(tokens), echo: true, logprobs: 1 }),
      read: (answer, tokens) => readEcho(firstChoice(answer)?.['logprobs'], tokens),
    },
    {
      url: `${url.replace(/\/v1$/, '')}/generate`,
      body: (tokens) => ({ prompt: { prompt_token_ids: tokens }, max_tokens: 1, prompt_logprobs: 1 }),
      read: (answer, tokens) => readPlaces((answer as { prompt_logprobs?: unknown }).prompt_logprobs, tokens),
    },
  ];
}

const choicesSchema = z.looseObject({ choices: z.array(z.record(z.string(), z.unknown())).min(1) });

const firstChoice = (answer: unknown): Record<string, unknown> | undefined =>
  choicesSchema.safeParse(answer).data?.choices[0];

function readPlaces(given: unknown, tokens: readonly number[]): Float32Array | undefined {
  const { data: places } = placesSchema.safeParse(given);
  if (places?.length !== tokens.length) return undefined;
  return Float32Array.from(tokens.slice(1), (token, index) => places[index + 1]?.[token] ?? Number.NaN);
}

/** The tokens of the prompt and the one that was sampled behind it. */
function readEcho(given: unknown, tokens: readonly number[]): Float32Array | undefined {
  const { data } = z.looseObject({ token_logprobs: z.array(z.number().nullable()) }).safeParse(given);
  const logprobs = data?.token_logprobs;
  if (logprobs === undefined || logprobs.length < tokens.length) return undefined;
  return Float32Array.from(logprobs.slice(1, tokens.length), (logprob) => logprob ?? Number.NaN);
}
