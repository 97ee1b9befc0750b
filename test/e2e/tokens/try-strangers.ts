import type { Tenant } from './tenants.ts';
import type { WatchedRun } from './watch-processes.ts';

export interface Attempt {
  readonly what: string;
  readonly status: number;
  readonly wanted: number;
}

export interface Runs {
  readonly controlUrl: string;
  readonly own: { readonly runId: string; readonly tenant: Tenant; readonly watched: WatchedRun };
  readonly other: { readonly runId: string; readonly tenant: Tenant; readonly watched: WatchedRun };
}

const PUBLICATION = { policy_version: 999, model_path: 'tinker://evil/w/9', step: 999, force: true };

/** What one tenant, and the environment of one run, try on the run of the other, and what an environment tries beyond its work. */
export async function tryStrangers({ controlUrl, own, other }: Runs): Promise<Attempt[]> {
  const portOf = (run: Runs['own'], role: 'api' | 'trainer'): string =>
    `http://127.0.0.1:${run.watched.ports.get(role)}`;
  const [api, trainer] = [portOf(other, 'api'), portOf(other, 'trainer')];
  const environment = own.watched.tokens.get('env') ?? 'none';
  const chat = { model: 'default', messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 };
  const { tenant } = own;
  const tries: [what: string, token: string, method: string, url: string, wanted: number, body?: object][] = [
    ['a stranger reads the run', tenant.rater, 'GET', `${controlUrl}/runs/${other.runId}`, 404],
    ['a stranger reads its metrics', tenant.rater, 'GET', `${controlUrl}/runs/${other.runId}/metrics`, 404],
    ['a stranger reads its log', tenant.rater, 'GET', `${controlUrl}/runs/${other.runId}/logs/env`, 404],
    ['a stranger asks why it waits', tenant.rater, 'GET', `${controlUrl}/runs/${other.runId}/why`, 404],
    ['a stranger stops it', tenant.trainer, 'POST', `${controlUrl}/runs/${other.runId}/stop`, 404],
    ['a stranger publishes weights', tenant.publisher, 'POST', `${trainer}/v1/policy`, 403, PUBLICATION],
    ['a stranger reads the policy', tenant.publisher, 'GET', `${trainer}/v1/policy`, 403],
    ['a stranger samples from it', tenant.publisher, 'POST', `${trainer}/v1/chat/completions`, 403, chat],
    ['a stranger reads the trainer', tenant.rater, 'GET', `${trainer}/v1/trainer`, 403],
    ['an environment samples from another run', environment, 'POST', `${trainer}/v1/chat/completions`, 403, chat],
    ['an environment reads another run', environment, 'GET', `${api}/run/${other.runId}/status`, 403],
    ['an environment pushes into another run', environment, 'POST', `${api}/run/${other.runId}/scored_data`, 403, {}],
    ['an environment pulls its own batches', environment, 'GET', `${portOf(own, 'api')}/run/${own.runId}/batch`, 403],
    ['an environment publishes weights', environment, 'POST', `${portOf(own, 'trainer')}/v1/policy`, 403, PUBLICATION],
    ['an environment ends its trainer', environment, 'POST', `${portOf(own, 'trainer')}/v1/trainer/stop`, 403],
    ['an environment reads the ledger', environment, 'GET', `${portOf(own, 'api')}/run/${own.runId}/v1/ledger`, 403],
    ['an environment starts a run', environment, 'POST', `${controlUrl}/runs`, 403, {}],
    ['an environment reads the library', environment, 'GET', `${controlUrl}/v1/trajectories`, 403],
    ['an environment reads its own run at control', environment, 'GET', `${controlUrl}/runs/${own.runId}`, 403],
  ];
  return await Promise.all(
    tries.map(async ([what, token, method, url, wanted, body]) => {
      const reply = await fetch(url, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      await reply.arrayBuffer();
      return { what, status: reply.status, wanted };
    }),
  );
}
