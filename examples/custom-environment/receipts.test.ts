import { checkEnvironment } from '@lachesis/sdk/environment';
import { receipts } from './environments/receipts.ts';

// The checklist of `lachesis env check`, for your own test runner.
const lines = await checkEnvironment({
  definition: receipts,
  nextId: () => crypto.randomUUID(),
  now: () => performance.now(),
  signal: AbortSignal.timeout(30_000),
});
const wrong = lines.filter(({ verdict }) => verdict === 'wrong');
for (const { name, detail } of wrong) process.stderr.write(`${name}: ${detail}\n`);
process.stdout.write(`${lines.length - wrong.length} of ${lines.length} in order\n`);
process.exitCode = wrong.length === 0 ? 0 : 1;
