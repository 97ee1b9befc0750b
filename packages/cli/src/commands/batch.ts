import { defineCommand } from 'citty';
import { batchFlags, readFlags } from './batch-flags.ts';
import { keepHeapSmall } from './batch-heap.ts';

export const batchCommand = defineCommand({
  meta: {
    name: 'batch',
    description: 'Let an agent answer a file of prompts, and keep its conversations as training data.',
  },
  args: batchFlags,
  async run({ args, rawArgs }) {
    const flags = readFlags(batchFlags, args, rawArgs);
    // Before the rest is loaded: what is loaded fills the heap too.
    keepHeapSmall();
    const { runBatchCommand } = await import('./batch-run.ts');
    await runBatchCommand(flags, args);
  },
});
