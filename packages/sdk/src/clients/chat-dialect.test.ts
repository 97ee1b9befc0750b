import { expect, test } from 'vitest';
import { createChatDialect, findChatDialect, sendInDialect } from './chat-dialect.ts';
import { ClientError } from './client-error.ts';

const body = {
  ...{ model: 'm', messages: [], max_tokens: 8, max_total_tokens: 64, return_token_ids: true, logprobs: true, seed: 7 },
};

/** A server that knows some fields, and how it says that it does not know one. */
function strict(known: readonly string[], say: (name: string) => string, status = 400) {
  const asked: string[][] = [];
  const send = async (sent: Record<string, unknown>): Promise<string> => {
    asked.push(Object.keys(sent));
    const unknown = Object.keys(sent).find((name) => !known.includes(name));
    if (unknown === undefined) return 'done';
    throw new ClientError({ code: 'http', call: 'POST x', reason: say(unknown), status, retryable: false });
  };
  return { asked, send };
}

const plain = ['model', 'messages', 'max_tokens', 'logprobs', 'seed'];

test.each<[string, (name: string) => string, number]>([
  ['OpenAI', (name) => `Unknown parameter: '${name}'.`, 400],
  ['old OpenAI', (name) => `Unrecognized request argument supplied: ${name}`, 400],
  ['pydantic', (name) => `{"detail":[{"type":"extra_forbidden","loc":["body","${name}"]}]}`, 422],
  ['Groq', (name) => `property '${name}' is unsupported`, 400],
  ['nobody in particular', () => 'Extra inputs are not permitted', 422],
])('learns from one refusal as %s says it', async (_, say, status) => {
  const notes: string[] = [];
  const dialect = createChatDialect({ server: 'the server', onLearnt: (note) => void notes.push(note) });
  const { asked, send } = strict(plain, say, status);
  expect(await sendInDialect(dialect, body, send)).toBe('done');
  expect(await sendInDialect(dialect, body, send)).toBe('done');
  expect(asked.map((names) => names.length)).toEqual([7, 5, 5]);
  expect(notes).toEqual(['the server does not take max_total_tokens, return_token_ids; it is not sent any more']);
});

test('learns fields of OpenAI one by one, and names', async () => {
  const notes: string[] = [];
  const dialect = createChatDialect({ server: 's', isStrict: true, onLearnt: (note) => void notes.push(note) });
  const { asked, send } = strict(['model', 'messages', 'max_completion_tokens'], (name) =>
    name === 'max_tokens' ? `'max_tokens' is not supported; use 'max_completion_tokens' instead` : `unknown: ${name}`,
  );
  expect(await sendInDialect(dialect, body, send)).toBe('done');
  expect(asked.at(-1)).toEqual(['model', 'messages', 'max_completion_tokens']);
  expect(notes).toHaveLength(3);
});

test('requests at once are all sent again, and the lesson is told once', async () => {
  const notes: string[] = [];
  const dialect = createChatDialect({ server: 's', onLearnt: (note) => void notes.push(note) });
  const { send } = strict(plain, (name) => `Unknown parameter: ${name}`);
  const replies = await Promise.all(Array.from({ length: 20 }, () => sendInDialect(dialect, body, send)));
  expect(new Set(replies)).toEqual(new Set(['done']));
  expect(notes).toHaveLength(1);
});

test('a refusal that teaches nothing is the answer', async () => {
  const dialect = createChatDialect({ server: 's' });
  for (const [status, reason] of [
    [400, 'messages must not be empty'],
    [401, 'unknown key'],
    [500, 'unexpected'],
  ] as const) {
    const refusal = new ClientError({ code: 'http', call: 'POST x', reason, status, retryable: false });
    await expect(sendInDialect(dialect, body, () => Promise.reject(refusal))).rejects.toBe(refusal);
  }
  expect(dialect.adapt(body)).toEqual(body);
});

test('what one caller of a process learnt of a server, the next one knows', () => {
  const fetch = (async () => new Response()) as unknown as typeof globalThis.fetch;
  const options = { server: 'http://one/v1', fetch };
  const reason =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  const error = new ClientError({ code: 'http', call: 'POST', reason, status: 400, retryable: false });
  expect(findChatDialect(options).learn(error, { max_tokens: 5 })).toBe(true);
  expect(findChatDialect(options).adapt({ max_tokens: 5 })).toEqual({ max_completion_tokens: 5 });
  expect(findChatDialect({ ...options, server: 'http://two/v1' }).adapt({ max_tokens: 5 })).toEqual({ max_tokens: 5 });
});

test('a server without n is asked for one reply', async () => {
  const known = ['model', 'messages', 'max_tokens'];
  const { asked, send } = strict(known, (name) => `json: unknown field "${name}"`);
  const dialect = createChatDialect({ server: 'x' });
  await sendInDialect(dialect, { model: 'm', messages: [], max_tokens: 8, n: 4 }, send);
  expect(asked.at(-1)).toEqual(known);
});
