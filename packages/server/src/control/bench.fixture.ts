import type { CallRecord, CaptureRecord, Scope } from '@lachesis/protocol';
import { createToken, openStore, type Store } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { readControlSettings, type ControlSettings } from '../http/settings/control-settings.ts';
import { buildControl, type BuiltControl, type ControlReplacements } from './build.ts';

/** The real control process over SQLite in a folder of its own; requests are injected. */
export interface ControlBench extends AsyncDisposable {
  readonly control: BuiltControl;
  readonly store: Store;
  readonly home: string;
  call(
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    options?: CallOptions,
  ): Promise<{ status: number; text: string; json: unknown }>;
}

interface CallOptions {
  body?: unknown;
  token?: string;
}

export async function createControlBench(
  settings: Partial<ControlSettings> = {},
  prepare: (store: Store) => Promise<unknown> = async () => undefined,
  replace: ControlReplacements = {},
  others: { pageFolder?: string } = {},
): Promise<ControlBench> {
  const home = settings.home ?? (await mkdtemp(join(tmpdir(), 'lachesis-control-')));
  const { values } = readControlSettings({ drainSeconds: 0.05, ...settings, home }, {});
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  const remove = async (): Promise<void> => {
    await store.close();
    await rm(home, { recursive: true, force: true });
  };
  try {
    await prepare(store);
    const control = await buildControl({
      settings: values,
      log: pino({ level: 'silent' }),
      replace,
      env: { SOME_API_KEY: 'sesame-4711-open' },
      ...others,
    });
    return {
      control,
      store,
      home,
      async call(method, url, { body, token } = {}) {
        const reply = await control.app.inject({
          method,
          url,
          headers: {
            host: 'localhost',
            'content-type': 'application/json',
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          },
          ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
        });
        return { status: reply.statusCode, text: reply.body, json: readJson(reply.body) };
      },
      async [Symbol.asyncDispose]() {
        await control.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

export async function makeToken(store: Store, tenantId: string, scopes: readonly Scope[]): Promise<string> {
  return (await createToken({ store, tenantId, name: scopes.join(' '), scopes })).token;
}

let made = 0;

/** A call as a recorder sends it. */
export function makeCall(fields: Partial<CallRecord> = {}): CaptureRecord {
  made += 1;
  return {
    record_id: `0192aaaa-0000-7000-8000-${String(made).padStart(12, '0')}`,
    recorder: `app-${made}`,
    sequence: 0,
    trajectory: `task-${made}`,
    at: 1_700_000_000_000,
    user: null,
    tags: [],
    consent: 'train',
    metadata: null,
    kind: 'call',
    state: 'complete',
    source: 'test',
    model: 'toy',
    messages: [{ role: 'user', content: 'What is two and two?' }],
    tools: null,
    sampling: {},
    is_stream: false,
    replies: [
      {
        message: { role: 'assistant', content: 'Four.' },
        finish_reason: 'stop',
        tokens: null,
        tokens_missing: 'backend-returns-none',
      },
    ],
    usage: { prompt_tokens: 6, completion_tokens: 2, total_tokens: 8 },
    cost: null,
    upstream: null,
    started_at: 1_700_000_000_000,
    first_token_at: null,
    ended_at: 1_700_000_000_500,
    error: null,
    ...fields,
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Rows and metrics are no single JSON value.
    return undefined;
  }
}
