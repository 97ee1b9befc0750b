import { createCharacterCounter } from '@lachesis/data';
import { runOurs } from '../../../conformance/hermes-batch/compress/run-ours.ts';

const [input = '', output = '', config = ''] = process.argv.slice(2);
const counter = createCharacterCounter();
const seen: string[] = [];

/** The fault: a part that keeps every text it was ever asked about. No row is too long here: the rest is not needed to see it. */
const { metrics } = await runOurs({
  ...{ input, output, config, change: { targetMaxTokens: Number.MAX_SAFE_INTEGER } },
  counter: {
    name: counter.name,
    count(text) {
      seen.push(text);
      return counter.count(text);
    },
  },
});
process.stdout.write(`${JSON.stringify(metrics)}\n`);
