import { z } from 'zod';
import type { ExecResult, Sandbox } from '../../sandbox/sandbox.ts';
import type { AgentTool } from '../agent-tool.ts';
import { defineTool } from '../define-tool.ts';
import { ToolError } from '../tool-error.ts';
import { describeExec } from './describe-exec.ts';
import { requireSandbox } from './require-sandbox.ts';

interface Started {
  readonly command: string;
  output: string;
  result: ExecResult | undefined;
  failure: string | undefined;
  readonly done: Promise<void>;
  readonly end: AbortController;
}

/** By sandbox, so that they go with it and no agent sees those of another. */
const tables = new WeakMap<Sandbox, Map<string, Started>>();

/** A model that forgets what it started would fill the sandbox with waiting commands. */
const MAX_PROCESSES = 16;
const KEPT_CHARACTERS = 100_000;
const LONGEST_WAIT_SECONDS = 600;

export const processTool: AgentTool = defineTool({
  name: 'process',
  description:
    'Runs commands in the background: start one, list them, poll the output so far, wait for the end, or kill it.',
  timeoutMs: (LONGEST_WAIT_SECONDS + 60) * 1000,
  input: z.object({
    action: z.enum(['start', 'list', 'poll', 'wait', 'kill']),
    command: z.string().optional().describe('for start: for sh -c'),
    id: z.string().optional().describe('for poll, wait and kill: as start gave it'),
    timeout: z.number().gt(0).max(LONGEST_WAIT_SECONDS).optional().describe('for wait: seconds; 30 when left out'),
  }),
  execute: async ({ action, command, id, timeout = 30 }, context) => {
    const sandbox = await requireSandbox(context, 'process');
    const table = tables.get(sandbox) ?? new Map<string, Started>();
    tables.set(sandbox, table);
    if (action === 'list')
      return { processes: [...table].map(([key, started]) => ({ id: key, ...describe(started) })) };
    if (action === 'start') {
      const key = start(sandbox, table, command);
      return { id: key };
    }
    const started = find(table, id);
    if (action === 'kill') started.end.abort();
    if (action !== 'poll') await waitFor(started, timeout * 1000, context.signal);
    return { id, ...describe(started), output: started.output };
  },
});

function start(sandbox: Sandbox, table: Map<string, Started>, command: string | undefined): string {
  if (command === undefined || command === '') {
    throw new ToolError({ what: 'Nothing was started', reason: 'start needs a command', hint: 'Give command' });
  }
  const running = [...table.values()].filter(({ result, failure }) => result === undefined && failure === undefined);
  if (running.length >= MAX_PROCESSES) {
    throw new ToolError({
      what: 'Nothing was started',
      reason: `${MAX_PROCESSES} processes are running`,
      hint: 'Kill one of them before',
    });
  }
  const key = `p${table.size + 1}`;
  const end = new AbortController();
  const ran = sandbox.exec(command, {
    signal: end.signal,
    onOutput: ({ text }) => {
      started.output = (started.output + text).slice(-KEPT_CHARACTERS);
    },
  });
  const done = ran.then(
    (result) => {
      started.result = result;
    },
    (error: unknown) => {
      started.failure = error instanceof Error ? error.message : String(error);
    },
  );
  const started: Started = { command, output: '', result: undefined, failure: undefined, done, end };
  table.set(key, started);
  return key;
}

function find(table: ReadonlyMap<string, Started>, id: string | undefined): Started {
  const started = id === undefined ? undefined : table.get(id);
  if (started !== undefined) return started;
  throw new ToolError({
    what: `There is no process ${JSON.stringify(id ?? '')}`,
    hint: table.size === 0 ? 'Start one' : `There are: ${[...table.keys()].join(', ')}`,
  });
}

function describe({ command, result, failure }: Started): Record<string, unknown> {
  if (failure !== undefined) return { command, is_running: false, error: failure };
  if (result === undefined) return { command, is_running: true };
  const { output: _all, ...rest } = describeExec(result);
  return { command, is_running: false, ...rest };
}

async function waitFor({ done }: Started, ms: number, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const time = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    AbortSignal.any([signal, over.signal]).addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  await Promise.race([done, time]);
  over.abort();
}
