import { call } from '../subject/call.ts';
import type { Servers } from '../subject/open-servers.ts';

/** What a tenant has, by the parameter of a path that names it. */
export interface Things {
  readonly ids: Readonly<Record<string, string>>;
  /** Stands in everything the tenant wrote. */
  readonly canary: string;
}

/** Lets a tenant record, rate, start, push, lease and ask, with one word in all of it. */
export async function makeThings(servers: Servers, token: string, canary: string): Promise<Things> {
  const headers = { authorization: `Bearer ${token}` };
  const [api, control, inference] = (['trajectory-api', 'control', 'inference'] as const).map(
    (name) => servers.find(name).url,
  );
  const send = async (method: string, url: string, body: unknown): Promise<Record<string, unknown>> => {
    const { status, text } = await call({ url, method, headers, body: JSON.stringify(body) });
    if (status >= 300) throw new Error(`${method} ${url} was answered with ${status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const { receipts } = await send('POST', `${control}/v1/records`, { records: [makeRecord(canary)] });
  const trajectory = (receipts as { trajectory_id: string }[])[0]?.trajectory_id ?? '';
  const rating = { trajectory_id: trajectory, author: canary, author_kind: 'person', kind: 'thumb', is_up: true };
  const { feedback_id: feedback } = await send('POST', `${control}/v1/feedback`, rating);
  const { run_id: run } = await send('POST', `${control}/runs`, {});
  const shared = `${api}/run/shared`;
  await send('PUT', `${shared}/v1/registration`, { batch_size: 2, wandb_group: canary });
  const group = {
    tokens: [
      [1, 2],
      [3, 4],
    ],
    masks: [
      [1, 2],
      [3, 4],
    ],
    scores: [0.5, 1],
  };
  for (let count = 0; count < 2; count += 1) {
    const messages = [[{ role: 'user', content: canary }], [{ role: 'user', content: canary }]];
    await send('POST', `${shared}/scored_data`, { ...group, scores: [count, 1], messages });
  }
  const { batch } = await send('POST', `${shared}/v1/batches`, {});
  const question = { model: 'toy', messages: [{ role: 'user', content: `say ${canary}` }] };
  await send('POST', `${inference}/t/shared-ticket/v1/chat/completions`, question);
  const { batch_id: batchId, epoch } = batch as { batch_id: string; epoch: number };
  return {
    canary,
    ids: {
      ...{ trajectory, feedback: String(feedback), run: String(run), batch: batchId, epoch: String(epoch) },
      key: 'shared-ticket',
    },
  };
}

let records = 0;

function makeRecord(canary: string): object {
  records += 1;
  const at = 1_700_000_000_000;
  return {
    record_id: `0192aaaa-0000-7000-8000-${String(records).padStart(12, '0')}`,
    ...{ recorder: `app-${canary}`, sequence: 0, trajectory: `ticket-${canary}`, at, user: canary, tags: [canary] },
    ...{ consent: 'train', metadata: null, kind: 'call', state: 'complete', source: 'access', model: 'toy' },
    ...{ messages: [{ role: 'user', content: canary }], tools: null, sampling: {}, is_stream: false },
    replies: [
      {
        message: { role: 'assistant', content: canary },
        ...{ finish_reason: 'stop', tokens: null, tokens_missing: 'backend-returns-none' },
      },
    ],
    ...{ usage: null, cost: null, upstream: null, started_at: at, first_token_at: null, ended_at: at + 1, error: null },
  };
}
