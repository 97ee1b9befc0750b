import { spawn as spawnProcess } from 'node:child_process';
import type { BatchAgent, BatchTask } from '../batch-agent.ts';
import { BatchError } from '../batch-error.ts';
import type { CostMeter } from '../cost-meter.ts';
import type { RequestGate } from '../request-gate.ts';
import { readConversation } from './read-conversation.ts';

/** A conversation is a few megabytes at most; a program that prints without end is stopped there. */
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;
const KEPT_COMPLAINT = 500;

export interface CommandAgentOptions {
  /** For `sh -c`. */
  command: string;
  gate: RequestGate;
  meter: CostMeter;
  /** Told to the program with each prompt. */
  about: Readonly<Record<string, unknown>>;
  spawn?: typeof spawnProcess;
}

/** A program for each prompt: the task comes on its standard input as JSON, the conversation leaves on its standard output. */
export function createCommandAgent({
  command,
  gate,
  meter,
  about,
  spawn = spawnProcess,
}: CommandAgentOptions): BatchAgent {
  const run = async ({ index, attempt, input, signal }: BatchTask) => {
    await gate.enter(signal);
    signal.throwIfAborted();
    meter.check();
    const child = spawn('sh', ['-c', command], { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const end = (): void => {
      // Its own group: what it started goes with it.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    };
    signal.addEventListener('abort', end, { once: true });
    let output = '';
    let complaint = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > MOST_OUTPUT_BYTES) end();
    });
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (complaint = (complaint + text).slice(-KEPT_COMPLAINT)));
    // A program that does not read its input is none the worse for it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${JSON.stringify({ ...input, index, attempt, ...about })}\n`);
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    child.once('error', reject);
    child.once('close', resolve);
    try {
      const code = await promise;
      if (signal.aborted) throw new BatchError({ kind: 'released', what: 'The work was ended' });
      if (code !== 0) {
        const said = complaint.trim() === '' ? '' : `: ${complaint.trim()}`;
        throw new BatchError({ kind: 'attempt', what: `The agent command ended with ${code ?? 'a signal'}${said}` });
      }
      const answer = readConversation(output, input, 'the agent command');
      meter.add(answer.cost);
      return answer;
    } finally {
      signal.removeEventListener('abort', end);
    }
  };
  return { run };
}
