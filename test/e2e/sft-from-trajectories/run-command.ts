import { fileURLToPath } from 'node:url';

import { startProcess } from '../../kit/start-process.ts';
import { cli } from '../capture/start-up.ts';

/** A command that takes longer has hung. */
const LIFE_MS = 240_000;
/** Each command is a process of its own: what the first has compiled the next ones read. */
const COMPILED = fileURLToPath(new URL('../../../node_modules/.cache/sft-from-trajectories', import.meta.url));

export interface CommandEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly logs: string;
  readonly lines: readonly string[];
}

/** `lachesis …` as a user types it. `killAfter` kills it with -9 as soon as it has printed such a line. */
export async function runCommand(options: {
  args: readonly string[];
  engineUrl?: string;
  killAfter?: RegExp;
}): Promise<CommandEnd> {
  const { args, engineUrl, killAfter } = options;
  const lines: string[] = [];
  const { promise: isReached, resolve: reach } = Promise.withResolvers<void>();
  await using command = await startProcess({
    name: `lachesis ${args[0]}`,
    command: process.execPath,
    args: ['--conditions=lachesis-source', cli, ...args],
    env: {
      ...{ TINKER_BASE_URL: engineUrl, TINKER_API_KEY: 'tml-none', DATABASE_URL: undefined },
      NODE_COMPILE_CACHE: COMPILED,
    },
    onLine: (line) => {
      lines.push(line);
      if (killAfter?.test(line) === true) reach();
    },
  });
  const timer = setTimeout(() => command.signal('SIGKILL'), LIFE_MS);
  const closed = new Promise<void>((resolve) => command.child.once('close', () => resolve()));
  if (killAfter !== undefined) {
    await Promise.race([isReached, closed]);
    command.signal('SIGKILL');
  }
  await closed;
  clearTimeout(timer);
  return { ...(await command.exited), logs: command.logs(), lines };
}

/** The same, of a command that has to end well. */
export async function runWell(options: Parameters<typeof runCommand>[0]): Promise<CommandEnd> {
  const end = await runCommand(options);
  if (end.code === 0) return end;
  throw new Error(`lachesis ${options.args.join(' ')} ended with ${end.signal ?? end.code}:\n${end.logs}`);
}
