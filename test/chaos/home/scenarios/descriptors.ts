import { join } from 'node:path';

import { findQuietPort } from '../../../kit/find-quiet-port.ts';
import { readProcessTree } from '../../../kit/read-process-tree.ts';
import { startProcess } from '../../../kit/start-process.ts';
import { startScriptedModel } from '../../../kit/start-scripted-model.ts';
import { waitForHttp } from '../../../kit/wait-for-http.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { openStore } from '@lachesis/store';
import { CLI } from '../../trajectory-api/subject/start-subject.ts';

/** What old images and batch systems give is four thousand at most; this is small on purpose. */
const FILE_LIMIT = 300;
const CALLS = 300;
const THINK_MS = 500;
/** A call that has no end by then hangs. */
const END_MS = 45_000;

type End = 'answered' | 'hung' | 'refused';

/** A gateway with fewer descriptors than calls. */
export const descriptorsScenario: Scenario = {
  name: 'descriptors',
  title: 'a gateway that runs out of descriptors answers or refuses every call and records what it answered',
  async run(context) {
    const home = await context.scratch();
    const model = await startScriptedModel(() => ({ say: 'yes' }), { thinkMs: () => THINK_MS });
    context.defer(() => model.close());
    const port = await findQuietPort();
    const gateway = await startProcess({
      command: 'sh',
      args: [
        '-c',
        `ulimit -n ${FILE_LIMIT}; exec "$@"`,
        'sh',
        process.execPath,
        CLI,
        'serve',
        'inference',
        '--no-token',
      ],
      name: 'lachesis serve inference',
      env: {
        LACHESIS_INFERENCE_PORT: String(port),
        LACHESIS_HOME: home,
        LACHESIS_UPSTREAM_URL: model.url,
        DATABASE_URL: undefined,
      },
    });
    context.defer(async () => {
      for (const pid of readProcessTree(gateway.pid).pids) process.kill(pid, 'SIGKILL');
      await gateway.exited;
    });
    await waitForHttp({ url: `http://127.0.0.1:${port}/health`, process: gateway, timeoutMs: 60_000 });
    const ends = await Promise.all(Array.from({ length: CALLS }, (_, number) => call(port, number)));
    const count = (end: End): number => ends.filter((each) => each === end).length;
    const answered = count('answered');
    const recorded = await waitForRecords(home, answered);
    const health = await fetch(`http://127.0.0.1:${port}/health`);
    const isTold = gateway.logs().includes('calls at once are taken instead of');
    context.report({
      name: `${CALLS} calls at once, ${FILE_LIMIT} descriptors`,
      figure:
        `${answered} answered, ${count('refused')} refused, ${count('hung')} hung, ${recorded} recorded, ` +
        `${isTold ? 'limit told at the start' : 'limit not told'}, then /health ${health.status}`,
      bar: 'some answered, 0 hung, recorded = answered, limit told, then healthy',
      ok: answered > 0 && count('hung') === 0 && recorded === answered && isTold && health.status === 200,
    });
  },
};

async function call(port: number, number: number): Promise<End> {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: `number ${number}` }] }),
      signal: AbortSignal.timeout(END_MS),
    });
    await reply.arrayBuffer();
    return reply.ok ? 'answered' : 'refused';
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'hung' : 'refused';
  }
}

/** Records are brought into the store in the background. */
async function waitForRecords(home: string, wanted: number): Promise<number> {
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  try {
    const until = performance.now() + 20_000;
    for (;;) {
      const { turns } = await store.db
        .selectFrom('turns')
        .select((eb) => eb.fn.countAll<number>().as('turns'))
        .executeTakeFirstOrThrow();
      if (turns >= wanted || performance.now() > until) return turns;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  } finally {
    await store.close();
  }
}
