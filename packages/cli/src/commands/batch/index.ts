import { defineCommand } from 'citty';
import { batchFlags, readFlags } from './flags.ts';
import { limitHeap } from '../../limit-heap.ts';

export const batchCommand = defineCommand({
  meta: {
    name: 'batch',
    description: 'Let an agent answer a file of prompts, and keep its conversations as training data.',
  },
  args: batchFlags,
  subCommands: {
    list: () => import('./list.ts').then((module) => module.batchListCommand),
    show: () => import('./show.ts').then((module) => module.batchShowCommand),
  },
  async run({ args, rawArgs }) {
    const flags = readFlags(batchFlags, args, rawArgs);
    // Before the rest is loaded: what is loaded fills the heap too.
    limitHeap();
    const { runBatchCommand } = await import('./run.ts');
    await runBatchCommand(flags, args);
  },
});
