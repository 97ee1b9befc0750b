import { hasScope, SCOPES, type Scope } from '@lachesis/protocol';
import type { Store } from '@lachesis/store';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createControlBench, makeCall, makeToken, type ControlBench } from './bench.fixture.ts';

let bench: ControlBench;
const tokens = new Map<Scope, string>();

beforeAll(async () => {
  const makeTokens = async (store: Store) => {
    for (const scope of SCOPES) tokens.set(scope, await makeToken(store, 'a', [scope]));
  };
  bench = await createControlBench({}, makeTokens, {}, { pageFolder: tmpdir() });
});

afterAll(() => bench[Symbol.asyncDispose]());

describe('every route × every scope', () => {
  it('is as the declared scope says', async () => {
    const wrong: string[] = [];
    let cells = 0;
    for (const route of bench.control.routes) {
      const url = route.path.replaceAll(/:[a-z_]+/g, 'nobody');
      for (const scope of [undefined, ...SCOPES]) {
        const token = scope === undefined ? undefined : tokens.get(scope);
        const { status } = await bench.call(route.method as 'GET', url, token === undefined ? {} : { token });
        const outcome =
          status === 401 ? 'unauthorized' : status === 403 ? 'forbidden' : status < 500 ? 'admitted' : status;
        // A token is no code: whoever shows one here is told so.
        const isTrade = `${route.method} ${route.path}` === 'POST /v1/session';
        const isGranted =
          !isTrade && (route.scope === 'public' || (scope !== undefined && hasScope([scope], route.scope)));
        const expected = isGranted ? 'admitted' : scope === undefined || isTrade ? 'unauthorized' : 'forbidden';
        cells += 1;
        if (outcome !== expected) wrong.push(`${route.method} ${url} with ${scope}: ${outcome}, not ${expected}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(cells).toBe(bench.control.routes.length * (SCOPES.length + 1));
  });

  it('asks for the scopes that were promised', () => {
    const scopes = Object.fromEntries(
      bench.control.routes.map(({ method, path, scope }) => [`${method} ${path}`, scope]),
    );
    expect(scopes).toEqual({
      'POST /v1/records': 'records:write',
      'GET /environments/:name/source': 'view',
      'GET /runs/compare': 'view',
      'POST /environments/:name/check': 'run:admin',
      'GET /v1/audit/key': 'view',
      'GET /v1/audit': 'admin',
      'GET /v1/audit/check': 'admin',
      'GET /v1/leases': 'view',
      'GET /v1/tokens': 'admin',
      'GET /v1/trajectories': 'view',
      'GET /v1/trajectories/:id': 'view',
      'GET /v1/trajectories/:id/turns/:turn': 'view',
      'GET /v1/trajectories/:id/turns/:turn/tokens': 'view',
      'POST /v1/trajectories/:id/turns/:turn/reroll': 'run:admin',
      'POST /v1/trajectories/:id/tags': 'feedback:write',
      'DELETE /v1/trajectories/:id': 'admin',
      'POST /v1/forget': 'admin',
      'POST /v1/feedback': 'feedback:write',
      'POST /v1/queue/next': 'feedback:write',
      'POST /v1/queue/release': 'feedback:write',
      'GET /v1/costs': 'view',
      'GET /v1/feedback': 'view',
      'DELETE /v1/feedback/:id': 'feedback:write',
      'GET /v1/datasets': 'view',
      'POST /v1/datasets': 'run:admin',
      'GET /v1/datasets/:ref': 'view',
      'DELETE /v1/datasets/:ref': 'run:admin',
      'GET /v1/datasets/:ref/rows': 'view',
      'GET /v1/datasets/:ref/check': 'view',
      'POST /v1/datasets/:name/make': 'run:admin',
      'POST /v1/datasets/:name/import': 'run:admin',
      'POST /v1/datasets/:name/import/pieces': 'run:admin',
      'POST /v1/datasets/:name/import/pieces/make': 'run:admin',
      'POST /v1/held-out': 'view',
      'GET /v1/export': 'view',
      'GET /v1/feedback/agreement': 'view',
      'GET /models': 'view',
      'GET /models/:ref': 'view',
      'POST /models/:ref/promote': 'run:admin',
      'POST /models/:name/rollback': 'run:admin',
      'POST /models/:ref/evaluations': 'run:admin',
      'POST /models/compare': 'run:admin',
      'POST /models/sample': 'run:admin',
      'GET /models/:ref/adapter': 'run:admin',
      'GET /models/:ref/adapter/:file': 'run:admin',
      'POST /improvements': 'run:admin',
      'GET /improvements': 'view',
      'GET /improvements/:ref': 'view',
      'POST /improvements/:ref/stop': 'run:admin',
      'POST /improvements/:ref/resume': 'run:admin',
      'GET /jobs': 'view',
      'GET /jobs/:ref': 'view',
      'GET /lineage/:what': 'view',
      'GET /environments': 'view',
      'POST /environments/:name/select': 'run:admin',
      'GET /config': 'view',
      'POST /config': 'run:admin',
      'POST /runs': 'run:admin',
      'GET /runs': 'view',
      'GET /runs/:id': 'view',
      'POST /runs/:id/resume': 'run:admin',
      'POST /runs/:id/stop': 'run:admin',
      'GET /runs/:id/metrics': 'view',
      'GET /runs/:id/metrics/extremes': 'view',
      'GET /runs/:id/metrics/stream': 'view',
      'GET /runs/:id/logs/:role': 'view',
      'GET /runs/:id/events': 'view',
      'GET /v1/stream': 'view',
      'GET /runs/:id/steps': 'view',
      'GET /runs/:id/steps/:step': 'view',
      'GET /runs/:id/groups/:group': 'view',
      'GET /runs/:id/why': 'view',
      'GET /runs/:id/settings': 'view',
      'GET /runs/:id/ledger': 'view',
      'GET /config/estimate': 'view',
      'POST /test/inference': 'run:admin',
      'GET /test/inference/:id': 'view',
      'POST /v1/session/code': 'view',
      'POST /v1/session': 'public',
      'GET /v1/session': 'view',
      'GET /assets/:file': 'public',
      'GET /health': 'public',
      'GET /metrics': 'view',
      'GET /openapi.json': 'public',
    });
  });
});

describe('two tenants', () => {
  it('see, rate and forget nothing of each other', async () => {
    await using own = await createControlBench();
    const [a, b] = [await makeToken(own.store, 'a', ['admin']), await makeToken(own.store, 'b', ['admin'])];
    const call = makeCall({ user: 'ann', trajectory: 'shared' });
    const sent = await own.call('POST', '/v1/records', { body: { records: [call] }, token: a });
    const { receipts } = sent.json as { receipts: { trajectory_id: string }[] };
    const id = receipts[0]?.trajectory_id ?? '';
    const thumb = { trajectory_id: id, author: 'x', author_kind: 'person', kind: 'thumb', is_up: true };
    const rated = await own.call('POST', '/v1/feedback', { body: thumb, token: a });
    const { feedback_id: feedbackId } = rated.json as { feedback_id: string };

    expect((await own.call('GET', '/v1/trajectories', { token: b })).json).toMatchObject({ trajectories: [] });
    expect((await own.call('GET', '/v1/trajectories?text=two', { token: b })).json).toMatchObject({ trajectories: [] });
    expect((await own.call('GET', `/v1/trajectories/${id}`, { token: b })).status).toBe(404);
    expect((await own.call('GET', '/v1/feedback', { token: b })).json).toEqual({ feedback: [] });
    // As if there were no such trajectory: it waits among what is theirs, and says nothing of whether somebody has one.
    const theirs = { ...thumb, is_up: false };
    expect((await own.call('POST', '/v1/feedback', { body: theirs, token: b })).json).toMatchObject({
      is_waiting: true,
    });
    expect((await own.call('GET', '/v1/feedback', { token: b })).json).toEqual({ feedback: [] });
    expect((await own.call('GET', '/v1/feedback?waiting=true', { token: a })).json).toEqual({ feedback: [] });
    expect((await own.call('DELETE', `/v1/feedback/${feedbackId}`, { token: b })).status).toBe(404);
    expect((await own.call('DELETE', `/v1/trajectories/${id}`, { token: b })).status).toBe(404);
    expect((await own.call('POST', '/v1/forget', { body: { user: 'ann' }, token: b })).json).toMatchObject({
      trajectories: 0,
    });
    expect((await own.call('GET', `/v1/trajectories/${id}`, { token: a })).json).toMatchObject({
      summary: { rating: 1 },
    });
  });
});

describe('two recorders of one tenant', () => {
  it('do not go on with what the other began, unless one may do everything', async () => {
    await using own = await createControlBench();
    const [first, second, admin, caller] = [
      await makeToken(own.store, 'a', ['records:write']),
      await makeToken(own.store, 'a', ['records:write']),
      await makeToken(own.store, 'a', ['admin']),
      await makeToken(own.store, 'a', ['inference:call']),
    ];
    const send = async (token: string) => {
      const records = [makeCall({ trajectory: 'alice-1', metadata: { model_version_id: 'm', own: 1 } })];
      return own.call('POST', '/v1/records', { body: { records }, token });
    };
    expect((await send(caller)).status).toBe(403);
    expect((await send(first)).status).toBe(200);
    expect(await send(second)).toMatchObject({ status: 422, json: { error: { code: 'invalid' } } });
    expect((await send(first)).status).toBe(200);
    expect((await send(admin)).status).toBe(200);
    const { trajectories } = (await own.call('GET', '/v1/trajectories', { token: admin })).json as {
      trajectories: { key: string; turn_count: number }[];
    };
    expect(trajectories).toMatchObject([{ key: 'alice-1' }]);
  });
});

describe('a public address', () => {
  it('is refused while no token exists', async () => {
    await expect(createControlBench({ host: '0.0.0.0' })).rejects.toThrow(/refusing to listen on 0\.0\.0\.0/);
  });
});
