import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createPaint } from '../../terminal/paint.ts';
import { converse, type ConverseOptions } from './converse.ts';
import { waitForVersion } from './find-chat-server.ts';

type Asked = { messages: { role: string; content: string }[]; model: string; stream: boolean };

/** A server that says back what it was told last, in pieces that are cut inside a line. */
function createEcho(asked: Asked[]): typeof fetch {
  return (async (_url: string, init: { body: string }) => {
    const body = JSON.parse(init.body) as Asked;
    asked.push(body);
    const said = body.messages.at(-1)?.content ?? '';
    if (said === 'fail') return Response.json({ error: { message: 'there is no model nosuch' } }, { status: 404 });
    const event = (content: string): string => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
    const text = `${event('you said ')}${event(said)}data: [DONE]\n\n`;
    const pieces = [text.slice(0, 25), text.slice(25, 60), text.slice(60)];
    const stream = new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    });
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
  }) as unknown as typeof fetch;
}

async function talk(lines: string, options: Partial<ConverseOptions> = {}): Promise<{ out: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const input = new PassThrough();
  const output = new PassThrough();
  input.end(lines);
  await converse({
    server: { baseUrl: 'http://localhost:1/v1', apiKey: undefined, model: 'talker' },
    ...{ system: undefined, sampling: {}, input, output, isInteractive: false, paint: createPaint(false) },
    fetch: createEcho(asked),
    ...options,
  });
  return { out: String(output.read() ?? ''), asked };
}

test('in a pipe a line goes in and a reply comes out, with the talk so far', async () => {
  const { out, asked } = await talk('one\n\ntwo\n/exit\nthree\n', { system: 'be brief', sampling: { temperature: 0 } });
  expect(out).toBe('you said one\nyou said two\n');
  expect(asked).toHaveLength(2);
  expect(asked[1]).toMatchObject({ model: 'talker', stream: true, temperature: 0 });
  expect(asked[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
});

test('/new begins anew', async () => {
  const { asked } = await talk('one\n/new\ntwo\n');
  expect(asked[1]?.messages).toEqual([{ role: 'user', content: 'two' }]);
});

test('a refusal is a sentence with the reason and what to do', async () => {
  await expect(talk('fail\n')).rejects.toThrow(
    'localhost:1 answered 404: there is no model nosuch. Does it have a model talker? `lachesis models list` shows yours.',
  );
});

test('codes of a terminal that a model writes are not carried out', async () => {
  const { out } = await talk('a\u001B[2Jb\n');
  expect(out).not.toContain('\u001B');
});

test('a talk begins when the version is loaded, not while the base model answers for it', async () => {
  const seen = [['talker'], ['talker'], ['talker', 'talker@2']];
  const pause = async (): Promise<void> => undefined;
  expect(await waitForVersion('talker@2', async () => seen.shift() ?? [], { tries: 5, pause })).toBe(true);
  expect(seen).toHaveLength(0);
  expect(await waitForVersion('talker@2', () => Promise.reject(new Error('not yet')), { tries: 2, pause })).toBe(false);
});
