/* A program that was started with a file left open in it, and runs a command in a sandbox: what does the command hold? */
import { createNamespaceProvider } from '@lachesis/sdk/sandbox';

const provider = createNamespaceProvider();
const sandbox = await provider.create({ owner: 'chaos-sandbox-heir' });
const { output } = await sandbox.exec(
  'python3 -c "import os; print(os.read(77, 100))"; cat /proc/self/fd/77 /proc/1/fd/77; ls /proc/self/fd',
  { timeoutMs: 10_000 },
);
process.stdout.write(output);
await provider.close();
