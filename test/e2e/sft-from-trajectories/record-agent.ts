import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

import { findFreePort } from '../../kit/find-free-port.ts';
import { startProcess } from '../../kit/start-process.ts';
import { startScriptedModel } from '../../kit/start-scripted-model.ts';
import { waitForHttp } from '../../kit/wait-for-http.ts';
import { cli } from '../capture/start-up.ts';
import { answer, questions } from './corpus.ts';

/** An application asks its questions through the recording gateway; what it was answered is in the home afterwards. */
export async function recordAgent({ home }: { home: string }): Promise<{ asked: number }> {
  const model = await startScriptedModel((conversation) => ({ say: answer(conversation.at(-1)?.content ?? '') }));
  const port = await findFreePort();
  const gateway = await startProcess({
    name: 'the gateway',
    command: process.execPath,
    args: [
      ...['--conditions=lachesis-source', cli, 'serve', 'inference', '--home', home, '--host', '127.0.0.1'],
      ...['--port', String(port), '--upstream-url', model.url, '--capture', '--capture-consent', 'train', '--no-token'],
    ],
    env: { TINKER_BASE_URL: undefined, DATABASE_URL: undefined },
  });
  try {
    const url = `http://127.0.0.1:${port}`;
    await waitForHttp({ url: `${url}/health`, process: gateway, timeoutMs: 60_000 });
    for (const { text, use } of questions) {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-lachesis-user': use },
        body: JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: text }] }),
        signal: AbortSignal.timeout(20_000),
      });
      if (!response.ok) throw new Error(`the gateway answered ${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
    }
    await waitForRows(home, questions.length);
    return { asked: questions.length };
  } finally {
    await gateway.stop({ graceMs: 20_000 });
    await model.close();
  }
}

const LONGEST_MS = 60_000;

/** A call is in an outbox file when it was answered, and in the store soon after. */
async function waitForRows(home: string, wanted: number): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  for (;;) {
    using database = new DatabaseSync(join(home, 'lachesis.db'), { readOnly: true });
    const { rows } = database.prepare('SELECT count(*) AS rows FROM trajectories').get() as { rows: number };
    if (rows >= wanted) return;
    if (performance.now() > until)
      throw new Error(`${rows} of ${wanted} calls are in the store after ${LONGEST_MS} ms`);
    await sleep(100);
  }
}
