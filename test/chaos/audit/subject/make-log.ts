import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { createToken, openStore } from '@lachesis/store';

import { startControlServer } from '../../../kit/start-control-server.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';

/** A log that a real server wrote, and an earlier copy of its home. */
export interface MadeLog {
  readonly home: string;
  /** As it was when the server had been stopped for the first time. */
  readonly earlier: string;
  /** What must stand nowhere in the log: secrets, texts, names. */
  readonly canaries: readonly string[];
}

/** Calls with a wrong token in each life of the server. */
export const FLOOD = 200;

/** Two lives of a server: what each of two tenants changed, read and was refused, and a flood of wrong tokens. */
export async function makeLog(context: ScenarioContext): Promise<MadeLog> {
  const home = await context.scratch();
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  const make = (tenantId: string, scopes: string[]) => createToken({ store, tenantId, name: scopes.join(' '), scopes });
  const ann = (await make('ann', ['admin'])).token;
  const bob = (await make('bob', ['feedback:write'])).token;
  await store.close();
  const prompt = 'canary-prompt-42';
  const record = (number: number) => ({
    record_id: `0192aaaa-0000-7000-8000-0000000000${String(number).padStart(2, '0')}`,
    ...{ recorder: 'app', sequence: number, trajectory: `task-${number}`, at: 1, user: 'canary-user', tags: [] },
    ...{ consent: 'train', metadata: null, kind: 'messages', tools: null },
    ...{ source: 'test', model: null },
    messages: [
      { role: 'user', content: prompt },
      { role: 'assistant', content: 'Yes.' },
    ],
  });
  const live = async (first: number): Promise<void> => {
    const server = await startControlServer({ home });
    context.defer(async () => void (await server.process.stop()));
    const call = async (method: string, path: string, token: string | null, body?: unknown): Promise<unknown> => {
      const reply = await fetch(`${server.url}${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return await reply.json().catch(() => undefined);
    };
    const numbers = Array.from({ length: 6 }, (_, place) => first + place);
    const receipts = (await call('POST', '/v1/records', ann, { records: numbers.map((number) => record(number)) })) as {
      receipts?: { trajectory_id: string }[];
    };
    if (receipts.receipts === undefined) throw new Error(`nothing was recorded: ${JSON.stringify(receipts)}`);
    for (const { trajectory_id: id } of receipts.receipts) {
      await call('POST', `/v1/trajectories/${id}/tags`, ann, { add: ['seen'] });
      await call('POST', `/v1/trajectories/${id}/tags`, bob, { add: ['mine'] });
      await call('GET', `/v1/trajectories/${id}`, ann);
      await call('DELETE', `/v1/trajectories/${id}`, bob);
      await call('DELETE', `/v1/trajectories/${id}`, ann);
    }
    for (let times = 0; times < FLOOD; times += 1)
      await call('POST', '/v1/forget', 'canary-wrong-token', { user: prompt });
    await call('POST', '/v1/forget', null, { user: prompt });
    await call('POST', '/v1/forget', ann, { user: 'canary-user' });
    await server.process.stop({ graceMs: 20_000 });
  };
  await live(1);
  const earlier = await context.scratch();
  await copyHome(home, earlier);
  await live(20);
  const secrets = [ann, bob].map((token) => token.slice(-43));
  return { home, earlier, canaries: [...secrets, prompt, 'canary-wrong-token', 'canary-user'] };
}

/** The database and what the home remembers of the log. */
export async function copyHome(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of ['lachesis.db', 'lachesis.db-wal', 'audit']) {
    await cp(join(from, name), join(to, name), { recursive: true, force: true }).catch(
      (error: NodeJS.ErrnoException) => {
        // A database that was closed in order has no second file.
        if (error.code !== 'ENOENT') throw error;
      },
    );
  }
}
