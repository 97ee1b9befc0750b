import { defineCommand } from 'citty';
import { readFlags, workFlags } from '../batch/flags.ts';
import { limitHeap } from '../../limit-heap.ts';

const flags = {
  batch: { type: 'string', description: 'the --run_name of a `lachesis batch` on the same database' },
  prices: { type: 'string', description: 'YAML of US dollars per million tokens (default prices.yaml in the home)' },
  ...workFlags,
} as const;

export const workerCommand = defineCommand({
  meta: {
    name: 'worker',
    description: 'Work on a run of `lachesis batch` from another process or machine, over one PostgreSQL.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    const read = readFlags(flags, args, rawArgs);
    // Before the rest is loaded: what is loaded fills the heap too.
    limitHeap();
    const { runWorkerCommand } = await import('./run.ts');
    await runWorkerCommand(read, args);
  },
});
