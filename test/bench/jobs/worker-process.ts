import { type OpenContenderOptions, openContender } from './contenders/open-contender.ts';

/** One worker: `node worker-process.ts '{"name":"ours",…}'`. It tells on standard output what it does, until it is killed. */
const options = JSON.parse(process.argv[2] ?? '{}') as OpenContenderOptions & {
  concurrency: number;
  workMs: number;
  holder: string;
  endsFirst: boolean;
  fill: number;
};

const tell = (word: string, value: number): void => void process.stdout.write(`${word} ${value}\n`);
const contender = await openContender(options);
if (options.fill > 0) {
  await contender.fill(options.fill);
  process.exit(0);
}
// With its parent it ends: nobody else would end it.
process.stdout.on('error', () => process.exit(0));
let claims = 0;
await contender.work({
  ...options,
  report: {
    // The first ones open connections and compile.
    claimed: (ms) => void ((claims += 1) > options.concurrency * 2 && tell('claimed', ms)),
    begun: (item) => tell('begun', item),
    worked: (item) => tell('worked', item),
  },
});
