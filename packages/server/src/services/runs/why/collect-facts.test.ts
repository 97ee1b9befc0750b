import type { RunProcessRecord, TrainingRun } from '@lachesis/store';
import { expect, test } from 'vitest';
import { collectFacts } from './collect-facts.ts';

const run = {
  ...{ shortId: 'abcdefgh', state: 'running', reason: null, changedAt: 0 },
  config: { recipe: { env: { group_size: 4, batch_size: 8 } } },
  details: { engineUrl: 'http://engine/' },
} as unknown as TrainingRun;
const processes = ['api', 'trainer', 'env'].map((role, index) => ({
  ...{ role, state: 'running', restarts: 0, reason: null, logPath: role, port: role === 'env' ? null : index + 1 },
})) as unknown as RunProcessRecord[];

test('parts that do not answer are facts; the others are read', async () => {
  const replies: Record<string, Response> = {
    'http://127.0.0.1:2/v1/trainer': Response.json({ state: 'waiting', detail: 'd', step: 4 }),
    'http://127.0.0.1:2/health': Response.json({ problem: 'no answer', in_flight: 3 }, { status: 503 }),
    'http://127.0.0.1:2/metrics': new Response(
      'lachesis_http_requests_total{method="POST",route="/v1/completions",code="200"} 7\n' +
        'lachesis_http_requests_total{method="POST",route="/v1/completions",code="429"} 2\n' +
        'lachesis_http_requests_total{method="GET",route="/health",code="200"} 99\nlachesis_event_loop_lag_seconds 0.02\n',
    ),
    'http://127.0.0.1:1/run/abcdefgh/v1/ledger': new Response('', { status: 500 }),
  };
  const facts = await collectFacts(
    {
      engineKey: undefined,
      findOtherHost: () => undefined,
      now: () => 5,
      ownLag: () => null,
      readTail: async (path) => (path === 'env' ? ['paused: x'] : []),
      fetch: async (url) => {
        const reply = replies[url as string];
        if (reply === undefined) throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
        return reply;
      },
    },
    run,
    processes,
  );
  expect(facts).toMatchObject({
    ...{ at: 5, groupSize: 4, batchSize: 8, environment: { paused: 'x' }, quarantine: [] },
    engine: { problem: 'http://engine/api/v1/healthz refuses connections: nothing listens there' },
    trainer: { value: { state: 'waiting', step: 4 } },
    ledger: { problem: 'http://127.0.0.1:1/run/abcdefgh/v1/ledger answers 500' },
    inference: { value: { problem: 'no answer', inFlight: 3, answered: 7, refused: 2, broken: 0 } },
    lag: { trainer: 20, 'trajectory-api': null },
  });
});

test('the engine is shown its key, and no station is', async () => {
  const shown: Record<string, string | null> = {};
  const facts = await collectFacts(
    {
      ...{ engineKey: 'tml-mine', findOtherHost: () => undefined, now: () => 5, ownLag: () => null },
      readTail: async () => [],
      fetch: async (url, init) => {
        const key = new Headers(init?.headers).get('x-api-key');
        shown[new URL(url).host] = key;
        return new Response('', { status: key === 'tml-mine' ? 200 : 401 });
      },
    },
    run,
    processes,
  );
  expect(shown).toEqual({ engine: 'tml-mine', '127.0.0.1:1': null, '127.0.0.1:2': null });
  expect(facts.engine).toEqual({ value: 'ok' });
});
