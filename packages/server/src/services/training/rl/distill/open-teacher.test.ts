import type { Tokenizer } from '@lachesis/sdk/render';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { TrainingSequence } from '../datums/convert-group.ts';
import { openTeacher, type OpenTeacherOptions, type TeacherSection } from './open-teacher.ts';

const STUDENT = { baseModel: 'student' };
const URL_V1 = 'http://teacher.test/v1';

/** Words of a vocabulary, as far as they are compared. */
const tokenizerOf = (words: readonly string[], addedTokens: { id: number; text: string }[] = []): Tokenizer =>
  ({
    vocabularySize: words.length,
    addedTokens: addedTokens.map(({ text }) => ({ text })),
    findToken: (text: string) => addedTokens.find((token) => token.text === text)?.id,
    encode: async () => Int32Array.of(words.length > 2 ? 2 : 1),
    decode: async ([id]: readonly number[]) => words[id!] ?? '',
  }) as unknown as Tokenizer;

interface Call {
  url: string;
  body: Record<string, unknown>;
  authorization: string | null;
}

/** A server of completions that answers what it is told to. */
function createServer(answer: (call: Call) => unknown): { calls: Call[]; fetch: typeof fetch } {
  const calls: Call[] = [];
  return {
    calls,
    fetch: (async (url: string, init: RequestInit) => {
      const body = JSON.parse(init.body as string) as Record<string, unknown>;
      const call = { url, body, authorization: new Headers(init.headers).get('authorization') };
      calls.push(call);
      const said = answer(call);
      return said instanceof Response ? said : Response.json(said);
    }) as typeof fetch,
  };
}

const section = (more: Partial<TeacherSection> = {}): TeacherSection => ({
  ...{ kind: 'openai', model: 'teacher', base_url: URL_V1, api_key_variable: 'LACHESIS_TEACHER_KEY', ...more },
});

const open = async (
  server: { fetch: typeof fetch },
  more: Partial<OpenTeacherOptions> = {},
): Promise<Awaited<ReturnType<typeof openTeacher>>> =>
  await openTeacher({
    ...{
      section: section(),
      student: STUDENT,
      rank: 8,
      env: { LACHESIS_TEACHER_KEY: 'k' },
      log: pino({ level: 'silent' }),
    },
    connect: () => Promise.reject(new Error('no Tinker server is asked')),
    findState: async (ref) => ref,
    loadTokenizer: async () => tokenizerOf(['a', 'b', 'c']),
    fetch: server.fetch,
    ...more,
  });

const sequenceOf = (...tokens: number[]): Pick<TrainingSequence, 'datum'> => {
  const targets = Int32Array.from(tokens.slice(1));
  const floats = (): Float32Array => new Float32Array(targets.length);
  return {
    datum: {
      tokens: Int32Array.from(tokens.slice(0, -1)),
      inputs: { target_tokens: targets, logprobs: floats(), advantages: floats(), weights: floats().fill(1) },
    },
  };
};

/** −1 for the first token of a prompt that is predicted, −2 for the second, and so on. */
const logprobAt = (place: number): number => -place;

const promptOf = ({ body }: Call): number[] =>
  Array.isArray(body['prompt'])
    ? (body['prompt'] as number[])
    : (body['prompt'] as { prompt_token_ids: number[] }).prompt_token_ids;

const places = (call: Call, write: (logprob: number) => unknown): unknown[] =>
  promptOf(call).map((token, place) => (place === 0 ? null : { [token]: write(logprobAt(place)), 999: write(-9) }));

const WAYS: Record<string, (call: Call) => unknown> = {
  'prompt_logprobs of vLLM': (call) =>
    call.body['prompt_logprobs'] === undefined
      ? new Response('', { status: 400 })
      : { choices: [{ text: 'x', prompt_logprobs: places(call, (logprob) => ({ logprob, rank: 1 })) }] },
  'echo with logprobs': (call) =>
    call.body['echo'] === true
      ? {
          choices: [
            {
              logprobs: {
                token_logprobs: [
                  null,
                  ...promptOf(call)
                    .slice(1)
                    .map((_, at) => -at - 1),
                  -7,
                ],
              },
            },
          ],
        }
      : { choices: [{ text: 'x' }] },
  '/generate of ours': (call) =>
    call.url === 'http://teacher.test/generate'
      ? { prompt_logprobs: places(call, (logprob) => logprob) }
      : new Response('', { status: 404 }),
};

test.each(Object.entries(WAYS))('asks a server by %s, and each target has the word about itself', async (_, answer) => {
  const server = createServer(answer);
  const teacher = await open(server);
  const probes = server.calls.length;
  const rows = await teacher.logprobs([sequenceOf(5, 6, 7, 8), sequenceOf(5, 9)]);
  expect(rows.map((row) => [...row])).toEqual([[-1, -2, -3], [-1]]);
  // The way that was answered is kept.
  expect(server.calls.length - probes).toBe(2);
  expect(server.calls.every(({ authorization }) => authorization === 'Bearer k')).toBe(true);
});

test('refuses a server that gives no log probabilities of a prompt, before anything is spent', async () => {
  await expect(open(createServer(() => ({ choices: [{ text: 'x' }] })))).rejects.toThrow(
    'gives no log probabilities of a prompt',
  );
});

test('refuses a server that is not there, and a key that is not good', async () => {
  const gone = { fetch: (async () => Promise.reject(new TypeError('fetch failed'))) as typeof fetch };
  await expect(open(gone)).rejects.toThrow(`The teacher teacher at ${URL_V1} cannot be asked: fetch failed`);
  await expect(open(createServer(() => new Response('', { status: 401 })))).rejects.toThrow('teacher.api_key_variable');
});

test('refuses a teacher with another vocabulary, and says where they differ', async () => {
  const server = createServer(WAYS['/generate of ours']!);
  const own = tokenizerOf(['a', 'b', 'c'], [{ id: 1, text: '<end>' }]);
  const refusal = async (other: Tokenizer): Promise<string> =>
    await open(server, { loadTokenizer: async (place) => (place === 'student' ? own : other) }).then(
      () => 'none',
      (error: Error) => error.message,
    );
  expect(await refusal(tokenizerOf(['a', 'b', 'c'], [{ id: 2, text: '<end>' }]))).toContain(
    '"<end>" is token 1 of the one and 2 of the other',
  );
  expect(await refusal(tokenizerOf(['a', 'x', 'c'], [{ id: 1, text: '<end>' }]))).toContain(
    'token 1 is "b" of the one and "x" of the other',
  );
  expect(await refusal(tokenizerOf(['a', 'b'], [{ id: 1, text: '<end>' }]))).toContain('a line of text');
  expect(await refusal(tokenizerOf(['a', 'b', 'c', 'filled up'], [{ id: 1, text: '<end>' }]))).toBe('none');
});

test('refuses a teacher whose tokenizer nobody has, and takes the one that is named', async () => {
  const server = createServer(WAYS['/generate of ours']!);
  const asked: string[] = [];
  const loadTokenizer = async (place: string): Promise<Tokenizer> => {
    asked.push(place);
    if (place === 'teacher') throw new Error('there is none.');
    return tokenizerOf(['a', 'b', 'c']);
  };
  await expect(open(server, { loadTokenizer })).rejects.toThrow('Name it with teacher.tokenizer_name');
  await open(server, { loadTokenizer, section: section({ tokenizer_name: 'named' }) });
  expect(asked).toContain('named');
});

test('the key of the run is not shown to another Tinker server', async () => {
  const keys: (string | undefined)[] = [];
  const connect: OpenTeacherOptions['connect'] = ({ apiKey }) => {
    keys.push(apiKey);
    return Promise.reject(new Error('nobody is there.'));
  };
  const server = createServer(() => ({}));
  for (const base_url of [undefined, 'http://elsewhere.test']) {
    const opening = open(server, { connect, env: {}, section: section({ kind: 'tinker', base_url }) });
    await expect(opening).rejects.toThrow('cannot be asked: nobody is there.');
  }
  expect(keys).toEqual([undefined, '']);
});
