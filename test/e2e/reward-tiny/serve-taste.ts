import { createRewardModel } from '@lachesis/sdk/environment';
import type { Outcome } from '@lachesis/sdk/environment';

import { startProcess } from '../../kit/start-process.ts';
import { cli } from '../capture/start-up.ts';

export interface ServedTaste extends AsyncDisposable {
  readonly url: string;
  /** What a reply is worth, asked as an environment asks. */
  score(prompt: string, reply: string): Promise<Outcome>;
}

/** Longer than an engine that compiles. */
const READY_MS = 60_000;
/** A server whose engine is gone still waits for it. */
const GRACE_MS = 2_000;

/** `lachesis serve reward`, and the reward function that talks to it. */
export async function serveTaste(options: { home: string; engineUrl: string; model: string }): Promise<ServedTaste> {
  const { home, engineUrl, model } = options;
  const { promise: said, resolve: say } = Promise.withResolvers<string>();
  const server = await startProcess({
    name: 'the reward server',
    command: process.execPath,
    args: [
      '--conditions=lachesis-source',
      cli,
      'serve',
      'reward',
      '--model',
      model,
      '--port',
      '0',
      '--home',
      home,
      '--json',
    ],
    env: { TINKER_BASE_URL: engineUrl, TINKER_API_KEY: 'tml-none', DATABASE_URL: undefined },
    onLine: (line) => {
      if (line.startsWith('{"url"')) say((JSON.parse(line) as { url: string }).url);
    },
  });
  const late = setTimeout(() => server.signal('SIGKILL'), READY_MS);
  const url = await Promise.race([said, server.exited.then(() => undefined)]);
  clearTimeout(late);
  if (url === undefined) throw new Error(`the reward server did not start:\n${server.logs()}`);
  const reward = createRewardModel({ url, retries: 0 });
  return {
    url,
    score: async (prompt, reply) => reward({ answer: reply, messages: [{ role: 'user', content: prompt }] }),
    [Symbol.asyncDispose]: async () => void (await server.stop({ graceMs: GRACE_MS })),
  };
}
