/** A chat box with 👍 and 👎 under each answer. Any OpenAI-compatible server answers; a click rates the answer it stands under. */
import { createLibraryClient } from '@lachesis/sdk';
import { inTrajectory, lachesisIdOf, recordOpenAI } from '@lachesis/sdk/capture';
import { findServerToken } from '@lachesis/sdk/home';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import OpenAI from 'openai';

const { MODEL: model = 'gpt-5-mini', PORT: port = '3000', LACHESIS_URL: url = 'http://127.0.0.1:8080' } = process.env;
const client = recordOpenAI(new OpenAI(), { url }); // reads OPENAI_BASE_URL and OPENAI_API_KEY, as it would without us
const library = createLibraryClient({ url, token: findServerToken({ url }) });

/** The name of the chat is ours; with the answer goes the id under which its turn is recorded. */
async function answer({ chat, messages }: { chat: string; messages: OpenAI.ChatCompletionMessageParam[] }) {
  const reply = await inTrajectory(chat, () => client.chat.completions.create({ model, messages }));
  return { text: reply.choices[0]?.message.content, turn: lachesisIdOf(reply)?.turnId };
}

/** The record may still be on its way: the rating waits for it. Pressed again it is one, pressed the other way it revises. */
async function rate({ turn, isUp }: { turn: string; isUp: boolean }) {
  return library.writeFeedback({ turn_id: turn, author: 'visitor', author_kind: 'person', kind: 'thumb', is_up: isUp });
}

async function handle(request: IncomingMessage): Promise<unknown> {
  if (request.url === '/answer') return answer((await json(request)) as Parameters<typeof answer>[0]);
  if (request.url === '/rate') return rate((await json(request)) as Parameters<typeof rate>[0]);
  return readFile(new URL('page.html', import.meta.url), 'utf8');
}

const server = createServer((request, response) => {
  void handle(request).then(
    (said) => response.end(typeof said === 'string' ? said : JSON.stringify(said)),
    (error: unknown) => response.writeHead(502).end(JSON.stringify({ problem: String(error) })),
  );
});
server.listen(Number(port), '127.0.0.1', () => console.log(`open http://127.0.0.1:${port}`));
