import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { createNamespaceProvider } from '@lachesis/sdk/sandbox';
import type { Sandbox } from '@lachesis/sdk/sandbox';

import type { Scenario } from '../../../scenarios/scenario.ts';
import { openCanaries } from '../world/open-canaries.ts';
import type { Canaries } from '../world/open-canaries.ts';

const RACES = 40;
const DEADLINE_MS = 25_000;

/** What the code inside prepares, and then what the host does with the path. */
const TRAPS: readonly { name: string; prepare: string; path: string }[] = [
  { name: 'a link to the canary', prepare: 'ln -sfn "$CANARY" t', path: 't' },
  { name: 'a link to its folder', prepare: 'ln -sfn "$(dirname "$CANARY")" t', path: 't/canary' },
  { name: 'a link to the root', prepare: 'ln -sfn / t', path: 't{CANARY}' },
  { name: 'a chain of links', prepare: 'ln -sfn "$CANARY" a; ln -sfn a b; ln -sfn b t', path: 't' },
  { name: 'a link that loops', prepare: 'ln -sfn t t', path: 't' },
  { name: 'a link through /proc', prepare: 'ln -sfn "/proc/1/root$CANARY" t', path: 't' },
  { name: 'dots', prepare: 'true', path: '../../../../../../..{CANARY}' },
  { name: 'the path itself', prepare: 'true', path: '{CANARY}' },
  { name: 'a pipe that nobody writes', prepare: 'mkfifo t', path: 't' },
  { name: 'a socket', prepare: 'python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\'t\')"', path: 't' },
  { name: 'an endless device', prepare: 'ln -sfn /dev/zero t', path: 't' },
  { name: 'a file of impossible length', prepare: 'truncate -s 1P t 2>/dev/null || truncate -s 60G t', path: 't' },
  { name: 'a name that looks like an option', prepare: 'echo x > ./-n', path: './-n' },
  { name: 'a name with a command in it', prepare: 'true', path: '$(cat {CANARY}); `cat {CANARY}`' },
];

/** The functions of the host that take paths: what the code inside lays out for them must not lead them astray. */
export const fileScenario: Scenario = {
  name: 'file-functions',
  title: 'readFile, writeFile, listFiles, removeFile and diff follow nothing out, also when paths change under them',
  async run(context) {
    const scratch = await context.scratch();
    const canaries = await openCanaries(scratch);
    context.defer(() => canaries.close());
    const provider = createNamespaceProvider();
    context.defer(() => provider.close());
    const found: string[] = [];
    let count = 0;
    const queue = [...TRAPS];
    const layNext = async (): Promise<void> => {
      for (let trap = queue.shift(); trap !== undefined; trap = queue.shift()) await lay(trap);
    };
    const lay = async (trap: (typeof TRAPS)[number]): Promise<void> => {
      const sandbox = await provider.create({ owner: 'chaos-sandbox', limits: { diskBytes: 8_000_000 } });
      await sandbox.exec(trap.prepare, { env: canaries.env });
      const path = trap.path.replaceAll('{CANARY}', canaries.file);
      found.push(...(await useEverywhere({ sandbox, canaries, path, name: trap.name })));
      count += 5;
      await sandbox.destroy();
    };
    await Promise.all([layNext(), layNext(), layNext()]);
    found.push(...(await race(await provider.create({ owner: 'chaos-sandbox' }), canaries)));
    const folder = join(scratch, 'seed');
    await mkdir(folder);
    await writeFile(join(folder, 'a'), 'a');
    await symlink(canaries.file, join(folder, 'link'));
    const seeded = await provider.create({ owner: 'chaos-sandbox', folder });
    if ((await seeded.exec('cat link')).output.includes(canaries.secret))
      found.push('a link was followed when copying in');
    context.report({
      name: 'file functions',
      figure: `${found.length === 0 ? '0 led astray' : found.join('; ')} of ${count} uses and ${RACES * 2} races`,
      bar: '0, canaries untouched, each within 25 s',
      ok: found.length === 0,
    });
  },
};

interface UseOptions {
  readonly sandbox: Sandbox;
  readonly canaries: Canaries;
  readonly path: string;
  readonly name: string;
}

async function useEverywhere({ sandbox, canaries, path, name }: UseOptions): Promise<string[]> {
  const found: string[] = [];
  const uses: Record<string, () => Promise<unknown>> = {
    readFile: async () => Buffer.from(await sandbox.readFile(path)).toString('utf8'),
    listFiles: async () => JSON.stringify(await sandbox.listFiles(path)),
    diff: async () =>
      JSON.stringify((await sandbox.diff()).map((each) => Buffer.from(each.content ?? []).toString('utf8'))),
    writeFile: () => sandbox.writeFile(path, 'changed'),
    removeFile: () => sandbox.removeFile(path),
  };
  for (const [verb, use] of Object.entries(uses)) {
    const started = performance.now();
    const got = await use().catch((error: unknown) => (error instanceof Error ? error.name : 'an odd error'));
    if (typeof got === 'string' && got.includes(canaries.secret)) found.push(`${verb} of ${name} read the canary`);
    if (performance.now() - started > DEADLINE_MS) found.push(`${verb} of ${name} took too long`);
    found.push(...(await canaries.findTouched()).map((each) => `${verb} of ${name}: ${each}`));
  }
  return found;
}

/** Swaps a folder and a link as fast as it can while the host goes through the name. */
async function race(sandbox: Sandbox, canaries: Canaries): Promise<string[]> {
  const end = new AbortController();
  const swapper = sandbox.exec(
    `mkdir -p real; echo inside > real/canary; ln -sfn "$(dirname "$CANARY")" link; python3 -c "
import os
while True:
  for source in ('real', 'link'):
    try: os.rename(source, 'name'); os.rename('name', source)
    except OSError: pass"`,
    { env: canaries.env, signal: end.signal, timeoutMs: 60_000 },
  );
  const found: string[] = [];
  for (let round = 0; round < RACES; round += 1) {
    const read = await sandbox.readFile('name/canary').catch(() => undefined);
    if (read !== undefined && Buffer.from(read).includes(canaries.secret)) found.push('a race read the canary');
    await sandbox.writeFile('name/canary', 'changed').catch(() => undefined);
  }
  found.push(...(await canaries.findTouched()).map((each) => `in a race ${each}`));
  end.abort();
  await swapper;
  await sandbox.destroy();
  return found;
}
