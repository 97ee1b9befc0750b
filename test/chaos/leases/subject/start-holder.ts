import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '../../supervisor/judge/wait-until.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import type { HolderMessage, HolderOptions } from './holder-process.ts';

const MAIN = fileURLToPath(new URL('holder-process.ts', import.meta.url));
const START_MS = 60_000;

export interface Holder {
  readonly name: string;
  /** The epoch of each thing it was last given and was not refused, by user. */
  readonly epochs: ReadonlyMap<string, number>;
  /** How often its writes were refused, by user. */
  readonly refused: ReadonlyMap<string, number>;
  /** Stands still between a decision and its write, for each thing that it holds. */
  pause(): Promise<void>;
  resume(): void;
  kill(): void;
}

export async function startHolder(context: ScenarioContext, options: HolderOptions): Promise<Holder> {
  const child = fork(MAIN, [JSON.stringify(options)], {
    execArgv: ['--conditions=lachesis-source'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const signal = (name: NodeJS.Signals): void => void child.kill(name);
  context.defer(() => {
    signal('SIGKILL');
  });
  const epochs = new Map<string, number>();
  const refused = new Map<string, number>();
  let [isReady, isPausing] = [false, false];
  child.on('message', (message: HolderMessage) => {
    if (message.kind === 'ready') isReady = true;
    if (message.kind === 'pausing') isPausing = true;
    if (message.kind === 'acquired') epochs.set(message.who, message.epoch);
    if (message.kind === 'refused') {
      refused.set(message.who, (refused.get(message.who) ?? 0) + 1);
      if (epochs.get(message.who) === message.epoch) epochs.delete(message.who);
    }
  });
  await waitUntil(`${options.holder} has started`, START_MS, () => isReady);
  return {
    name: options.holder,
    epochs,
    refused,
    async pause() {
      isPausing = false;
      child.send({ kind: 'pause' });
      await waitUntil(`${options.holder} stands still`, START_MS, () => isPausing);
    },
    resume: () => signal('SIGCONT'),
    kill() {
      signal('SIGKILL');
      epochs.clear();
    },
  };
}
