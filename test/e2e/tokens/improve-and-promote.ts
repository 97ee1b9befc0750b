import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startProcess } from '../../kit/start-process.ts';
import { CALLS } from './record-and-rate.ts';
import { CLI, type Place } from './start-up.ts';

/** Enough for a candidate; whether it is better is another suite's question. */
const TRAINING = { lora_rank: 8, batch_size: 4, epochs: 1, max_steps: 1, learning_rate: 1e-3, use_tensorboard: false };
const MODEL = 'talker';
const COMMAND_MS = 300_000;

/** `lachesis improve` on what was rated, then its candidate is promoted by hand. Gives what both say. */
export async function improveAndPromote(
  { home, project }: Place,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ outcome: string; promoted: string }> {
  const config = join(project, 'training.json');
  await writeFile(config, JSON.stringify(TRAINING));
  const run = async (args: readonly string[], codes: readonly number[] = [0]): Promise<string> => {
    const lines: string[] = [];
    await using running = await startProcess({
      name: `lachesis ${args[0]}`,
      command: process.execPath,
      args: ['--conditions=lachesis-source', CLI, ...args, '--home', home, '--json'],
      ...{ cwd: project, env },
      onLine: (line) => lines.push(line),
    });
    const timer = setTimeout(() => running.signal('SIGKILL'), COMMAND_MS);
    const { code } = await running.exited;
    clearTimeout(timer);
    if (code === null || !codes.includes(code))
      throw new Error(`lachesis ${args.join(' ')} ended with ${code}:\n${running.logs()}`);
    return lines.join('\n');
  };
  const gates = ['--min-ratings', String(CALLS), '--min-rows', '2', '--min-items', '2', '--held-out', '0.4'];
  const short = ['--max-reply-tokens', '4'];
  const said = await run(
    ['improve', '--model', MODEL, '--all-models', '--method', 'dpo', '--config', config, ...gates, ...short],
    [0, 1],
  );
  const { outcome } = JSON.parse(said) as { outcome: string };
  if (outcome === 'promoted') return { outcome, promoted: `${MODEL}@1` };
  const promotion = await run(['models', 'promote', `${MODEL}@1`, '--reason', 'tried by hand']);
  const { name, version } = JSON.parse(promotion) as { name: string; version: number };
  return { outcome, promoted: `${name}@${version}` };
}
