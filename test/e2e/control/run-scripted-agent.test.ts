import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { runScriptedAgent } from './run-scripted-agent.ts';
import { scriptTrainingRun } from './script-training-run.ts';

const CONFIG = { environment: 'digits', recipe: 'tiny', configurable_fields: [], locked_fields: [] };
const logs = { api: 'a', trainer: 't', env: 'e' };

/** A control server with one run, which has ended when it was looked at twice. */
async function startStub(): Promise<{ url: string; calls: string[]; close(): void }> {
  const calls: string[] = [];
  let looks = 0;
  const replies: Record<string, () => object> = {
    'GET /environments': () => [{ name: 'digits', class_name: 'D', file_path: 'd.ts', description: 'Digits.' }],
    'POST /environments/digits/select': () => ({
      message: 'ok',
      environment: 'digits',
      file_path: 'd.ts',
      config: CONFIG,
    }),
    'GET /config': () => CONFIG,
    'POST /config': () => ({ message: 'ok', field: 'group_size', value: 4, config: CONFIG }),
    'POST /runs': () => ({
      ...{ run_id: 'abcd1234', status: 'starting', environment: 'digits', config: {}, config_path: 'c.yaml', logs },
      ...{ wandb_project: null, wandb_run_name: null, message: 'ok' },
    }),
    'GET /runs/abcd1234': () => ({
      ...{
        run_id: 'abcd1234',
        status: (looks += 1) < 2 ? 'running' : 'completed',
        reason: null,
        environment: 'digits',
      },
      ...{ running_time_minutes: 1, processes: { api: 'running', trainer: 'running', env: 'running' } },
      ...{ process_details: [], logs, metrics: { step: looks, state: 'running' }, total_steps: 2, inference_url: null },
      ...{
        weights_path: null,
        config_path: 'c.yaml',
        wandb_project: null,
        wandb_run_name: null,
        estimated_seconds: 20,
      },
      ...{ created_at: 1, started_at: 1, ended_at: null, changed_at: 1 },
    }),
    'GET /runs/abcd1234/metrics': () => ({
      ...{ run_id: 'abcd1234', status: 'completed', environment: 'digits', final_metrics: { 'reward/mean': 0.5 } },
      ...{ history: [], series: ['reward/mean'], metrics_url: null, weights_path: 'tinker://w' },
      ...{ wandb_project: null, wandb_run_name: null },
    }),
  };
  const server = createServer((request, response) => {
    const call = `${request.method} ${request.url?.split('?')[0]}`;
    calls.push(call);
    const reply = replies[call];
    request.resume().on('end', () => {
      response.writeHead(reply === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply?.() ?? { error: { code: 'not-found', message: `there is no ${call}` } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, calls, close: () => void server.close() };
}

test('the scripted agent goes the whole way to the results, and stops at the question when nobody allows the start', async () => {
  const stub = await startStub();
  const home = await mkdtemp(join(tmpdir(), 'lachesis-scripted-'));
  const script = scriptTrainingRun({ environment: 'digits', edits: { group_size: 4 }, pauseSeconds: 1 });
  const shared = { controlUrl: stub.url, home, project: home, script, timeoutMs: 20_000 };
  try {
    const refused = await runScriptedAgent(shared);
    expect([refused.exitCode, refused.result.error]).toEqual([1, expect.stringContaining('nobody is here')]);
    expect(stub.calls).not.toContain('POST /runs');

    const { exitCode, result } = await runScriptedAgent({ ...shared, args: ['--yes'] });
    expect([exitCode, result.reason, JSON.parse(result.text)]).toMatchObject([
      ...[0, 'answered'],
      { run_id: 'abcd1234', status: 'completed', results: { weights_path: 'tinker://w' } },
    ]);
    expect(stub.calls.filter((call) => call === 'GET /runs/abcd1234').length).toBeGreaterThan(1);
  } finally {
    stub.close();
    await rm(home, { recursive: true, force: true });
  }
});
