import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const ALONE_EVERY_MS = 2;

export interface ScriptedSummarizer extends AsyncDisposable {
  /** With `/v1`. */
  readonly url: string;
  /** How often each text was asked about, by its digest; asked anew when it was answered before counts too. */
  readonly asked: ReadonlyMap<string, number>;
  /** Questions that came and were not answered yet. */
  readonly open: () => number;
  /** Resolves when nobody is connected: everything that was sent has been read. */
  readonly whenAlone: () => Promise<void>;
  /** The turns themselves, by digest; kept when asked for. */
  readonly contents: ReadonlyMap<string, string>;
}

export interface ScriptedSummarizerOptions {
  /** What it says about a text. */
  readonly reply?: (digest: string, content: string) => string;
  readonly delayMs?: number;
  readonly recordsContents?: boolean;
  /** Answers with this status in the place of a summary; undefined for a summary. */
  readonly refuse?: (digest: string, time: number) => { status: number; retryAfter?: string } | undefined;
}

/**
 * The turns in a prompt: from the first header of a turn up to the last line of dashes. What stands around them is each
 * program's own, so the same turns get the same summary whoever asks.
 */
export function findTurns(prompt: string): string {
  const start = prompt.search(/\[Turn \d+ - /);
  const end = prompt.lastIndexOf('\n---');
  return start < 0 || end < start ? prompt : prompt.slice(start, end);
}

export const digestOf = (content: string): string => createHash('sha256').update(content).digest('hex');

/** Where a summary that was not scripted otherwise names what it is about. */
export const SUMMARY_DIGEST = /the agent went on \(([0-9a-f]{16})\)/g;

/** An OpenAI-compatible server whose summaries follow from what is to be summarised. */
export async function startScriptedSummarizer({
  reply = (digest) => `[CONTEXT SUMMARY]: the agent went on (${digest.slice(0, 16)}).`,
  delayMs = 0,
  recordsContents: keepContents = false,
  refuse,
}: ScriptedSummarizerOptions = {}): Promise<ScriptedSummarizer> {
  const asked = new Map<string, number>();
  const contents = new Map<string, string>();
  let open = 0;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { messages } = JSON.parse(Buffer.concat(pieces).toString('utf8')) as { messages: { content: string }[] };
      const content = findTurns(messages[0]?.content ?? '');
      const digest = digestOf(content);
      const time = (asked.get(digest) ?? 0) + 1;
      asked.set(digest, time);
      if (keepContents) contents.set(digest, content);
      open += 1;
      const answer = (): void => {
        open -= 1;
        const refused = refuse?.(digest, time);
        if (refused !== undefined) {
          const retry = refused.retryAfter === undefined ? {} : { 'retry-after': refused.retryAfter };
          response.writeHead(refused.status, { 'content-type': 'application/json', ...retry });
          response.end(JSON.stringify({ error: { message: 'not now' } }));
          return;
        }
        const message = { role: 'assistant', content: reply(digest, content) };
        const body = {
          ...{ id: `chat-${digest.slice(0, 8)}`, object: 'chat.completion', created: 1, model: 'scripted' },
          choices: [{ index: 0, message, finish_reason: 'stop' }],
          usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
        };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      if (delayMs === 0) answer();
      else setTimeout(answer, delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    contents,
    open: () => open,
    whenAlone: async () => {
      const connected = (): Promise<number> =>
        new Promise((resolve, reject) =>
          server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
        );
      while ((await connected()) > 0) await sleep(ALONE_EVERY_MS);
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
