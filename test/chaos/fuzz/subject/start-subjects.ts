import { fileURLToPath } from 'node:url';

import { findFreePort } from '../../../kit/find-free-port.ts';
import { startControlServer } from '../../../kit/start-control-server.ts';
import { startProcess, type RunningProcess } from '../../../kit/start-process.ts';
import { waitForHttp } from '../../../kit/wait-for-http.ts';
import { startInference } from '../../../peers/openai/start-inference.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { createDrafts, listRoutes, type OpenApi } from '../cases/draft-from-openapi.ts';
import { createMcpDrafts, INITIALIZE, MCP_ROUTES } from '../cases/draft-mcp.ts';
import type { DraftOf } from '../cases/make-case.ts';
import { startPatientModel } from './start-patient-model.ts';

const CLI = fileURLToPath(new URL('../../../../packages/cli/src/main.ts', import.meta.url));
const REWARD = fileURLToPath(new URL('./reward-process.ts', import.meta.url));
const SOURCE = '--conditions=lachesis-source';
const READY_MS = 60_000;
/** A token for what a test asks of a server with none would be refused there. */
const NO_TOKEN = { LACHESIS_TOKEN: undefined, DATABASE_URL: undefined };

/** A server under test and what is asked of it. */
export interface Subject {
  readonly port: number;
  readonly process: RunningProcess;
  readonly routes: readonly string[];
  readonly draftOf: DraftOf;
  /** Statuses of 500 and more that it gives on purpose. */
  readonly declared: readonly number[];
}

export type SubjectName = 'control' | 'inference' | 'mcp' | 'reward';

/** These start a process each time, or are made anew for each who asks; a few of them are enough. */
const RARE = [
  ...['GET /openapi.json', 'GET /metrics'],
  ...['GET /environments', 'GET /config', 'GET /config/estimate', 'POST /environments/{name}/select'],
  'POST /environments/{name}/check',
];

export const SUBJECTS: Readonly<Record<SubjectName, (context: ScenarioContext) => Promise<Subject>>> = {
  async control(context) {
    const server = await startControlServer({ home: await context.scratch() });
    context.defer(async () => void (await server.process.stop()));
    return describe(server.url, server.process, { declared: [503] });
  },
  async inference(context) {
    const model = await startPatientModel();
    context.defer(() => model.close());
    const server = await startInference({ args: ['--upstream-url', model.url], env: NO_TOKEN });
    context.defer(async () => {
      await server[Symbol.asyncDispose]();
    });
    return describe(server.url, server.process, { declared: [] });
  },
  async reward(context) {
    const port = await findFreePort();
    const running = await startProcess({
      command: process.execPath,
      args: [SOURCE, REWARD, await context.scratch(), String(port)],
      name: 'reward server',
      env: NO_TOKEN,
    });
    context.defer(async () => void (await running.stop()));
    const url = `http://127.0.0.1:${port}`;
    await waitForHttp({ url: `${url}/openapi.json`, process: running, timeoutMs: READY_MS });
    return describe(url, running, { declared: [] });
  },
  async mcp(context) {
    const control = await startControlServer({ home: await context.scratch() });
    context.defer(async () => void (await control.process.stop()));
    const port = await findFreePort();
    const running = await startProcess({
      command: process.execPath,
      args: [SOURCE, CLI, 'mcp', '--http', '--port', String(port), '--server', control.url],
      name: 'lachesis mcp',
      env: { ...NO_TOKEN, RL_API_URL: control.url },
    });
    context.defer(async () => void (await running.stop()));
    await waitForHttp({ url: `http://127.0.0.1:${port}/mcp`, process: running, timeoutMs: READY_MS, accepts: [406] });
    const begun = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE }),
    });
    await begun.arrayBuffer();
    const draftOf = createMcpDrafts(begun.headers.get('mcp-session-id') ?? '');
    // Its sessions are bounded, and too many are told as 503.
    return { port, process: running, routes: MCP_ROUTES, draftOf, declared: [503] };
  },
};

async function describe(
  url: string,
  process: RunningProcess,
  options: { declared: readonly number[] },
): Promise<Subject> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;
  const routes = listRoutes(document);
  const rare = RARE.filter((route) => routes.includes(route));
  const draftOf = createDrafts(document, { rare });
  return { port: Number(new URL(url).port), process, routes, draftOf, declared: options.declared };
}
