import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

it('ends without a word when its reader has gone', async () => {
  const child = spawn(process.execPath, ['--conditions=lachesis-source', MAIN, 'batch', '--list_distributions'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let complaint = '';
  child.stderr.on('data', (piece) => (complaint += String(piece)));
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(complaint).toBe('');
});
