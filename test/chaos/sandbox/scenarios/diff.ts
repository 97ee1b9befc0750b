import { createNamespaceProvider, SandboxError } from '@lachesis/sdk/sandbox';
import type { Sandbox } from '@lachesis/sdk/sandbox';

import type { Scenario } from '../../../scenarios/scenario.ts';

const FILES = 10_000;
const BAR_MS = 2_000;
const TRIES = 3;

const makeFiles = (count: number): string =>
  `python3 -c "
import os
for i in range(${count}):
  if i % 100 == 0: os.makedirs(f'n/{i // 100}', exist_ok=True)
  with open(f'n/{i // 100}/{i}', 'w') as f: f.write('x' * 200 + str(i))"`;

/** What `npm install` does to a task: thousands of small files that somebody then wants to compare. */
export const diffScenario: Scenario = {
  name: 'diff',
  title: 'ten thousand changed files are read within two seconds, and more than can be held are refused',
  async run(context) {
    const provider = createNamespaceProvider();
    context.defer(() => provider.close());
    const create = (): Promise<Sandbox> => provider.create({ owner: 'chaos-sandbox', limits: { memoryBytes: 2e9 } });
    const sandbox = await create();
    await sandbox.exec(makeFiles(FILES));
    const times: number[] = [];
    let read = 0;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const before = performance.now();
      const changes = await sandbox.diff();
      times.push(performance.now() - before);
      read = changes.filter(
        ({ path, content }) => content?.length === 200 + (path.split('/').at(-1) ?? '').length,
      ).length;
    }
    const best = Math.min(...times);
    context.report({
      name: 'diff of many files',
      figure: `${read} files in ${best.toFixed(0)} ms, the best of ${TRIES}`,
      bar: `${FILES} files in ≤ ${BAR_MS} ms`,
      ok: read === FILES && best <= BAR_MS,
      onlyByClock: read === FILES,
    });
    const refusals: Record<string, string> = {
      'twenty-five thousand files': makeFiles(25_000),
      'eighty megabytes': 'rm -rf n; head -c 80000000 /dev/zero > big',
      'a hundred and ten thousand files': context.full ? `rm -f big; ${makeFiles(110_000)}` : 'true',
    };
    const found: string[] = [];
    let longest = 0;
    for (const [name, script] of Object.entries(refusals)) {
      if (script === 'true') continue;
      await sandbox.exec(script);
      const before = performance.now();
      const error: unknown = await sandbox.diff().then(
        () => undefined,
        (cause: unknown) => cause,
      );
      longest = Math.max(longest, performance.now() - before);
      if (!(SandboxError.isInstance(error) && error.kind === 'too-large')) found.push(`${name}: ${String(error)}`);
    }
    context.report({
      name: 'diff of too much',
      figure: `${found.length === 0 ? 'refused as too-large' : found.join('; ')}, the longest in ${longest.toFixed(0)} ms`,
      bar: 'refused as too-large, ≤ 5,000 ms',
      ok: found.length === 0 && longest <= 5_000,
      onlyByClock: found.length === 0,
    });
  },
};
