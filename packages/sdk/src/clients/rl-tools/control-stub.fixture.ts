import { createControlClient, type ControlClient } from '../control.ts';

export interface StubbedCall {
  call: string;
  body: unknown;
}

/** A client whose server answers by a table: `GET /runs` to a value, a status with a body, or a function of both. */
export function stubControl(
  table: Readonly<Record<string, unknown>>,
  options: { retryForMs?: number } = {},
): { client: ControlClient; calls: StubbedCall[] } {
  const calls: StubbedCall[] = [];
  const client = createControlClient({
    url: 'http://user:secret@control.test:8080/',
    token: 'hidden',
    retryForMs: options.retryForMs ?? 0,
    fetch: async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const call = `${init?.method ?? 'GET'} ${url.pathname}${url.search}`;
      calls.push({ call, body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined });
      const found = table[call];
      const value: unknown = typeof found === 'function' ? (found as () => unknown)() : found;
      if (value instanceof Response) return value;
      if (value instanceof Error) throw value;
      if (value === undefined) return refusal(404, 'not-found', 'There is no such thing.');
      return Response.json(value);
    },
  });
  return { client, calls };
}

export const refusal = (status: number, code: string, message: string, hint?: string): Response =>
  Response.json({ error: { code, message, ...(hint === undefined ? {} : { hint }) } }, { status });

export const aRun = (change: object = {}): object => ({
  run_id: 'a1b2c3d4',
  status: 'running',
  reason: null,
  environment: 'digits',
  running_time_minutes: 1,
  processes: { api: 'running', trainer: 'running', env: 'running' },
  process_details: [],
  logs: { api: 'a', trainer: 't', env: 'e' },
  metrics: { step: 1, state: 'running' },
  total_steps: 10,
  inference_url: null,
  weights_path: null,
  config_path: 'c',
  wandb_project: null,
  wandb_run_name: null,
  estimated_seconds: 86_400,
  created_at: 1,
  started_at: 1,
  ended_at: null,
  changed_at: 1,
  ...change,
});

export const aTest = (change: object = {}): object => ({
  test_id: 't1',
  status: 'completed',
  environment: 'digits',
  results: [],
  summary: { passed: true, message: 'all is well' },
  ...change,
});
