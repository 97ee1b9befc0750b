import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { refuseOldNode } from './refuse-old-node.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

describe('the check of Node', () => {
  it.each(['v20.20.2', 'v22.11.0', '18.0.0', 'v23.9.9', 'nonsense'])('refuses %s with a sentence', (version) => {
    expect(refuseOldNode(version)).toMatch(/needs Node 24 or newer, this is .*nvm install 24/);
  });

  it.each(['v24.0.0', 'v25.1.0', 'v100.0.0'])('lets %s pass', (version) => {
    expect(refuseOldNode(version)).toBeUndefined();
  });

  it('is the only thing that the program loads before it', () => {
    const imports = [...readFileSync(main, 'utf8').matchAll(/^import .* from '(.*)';$/gm)].map(([, from]) => from);
    expect(imports).toEqual(['./refuse-old-node.ts']);
  });

  it.skipIf(!existsSync('/usr/bin/node'))('speaks on the Node of the machine, whatever it is', () => {
    const built = fileURLToPath(new URL('../dist/main.js', import.meta.url));
    if (!existsSync(built)) return;
    const { stdout, stderr } = spawnSync('/usr/bin/node', [built, '--version'], { encoding: 'utf8' });
    expect(stdout + stderr).not.toMatch(/SyntaxError/);
  });
});
