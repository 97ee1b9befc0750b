import { createNamespaceProvider } from '@lachesis/sdk/sandbox';
import type { Sandbox } from '@lachesis/sdk/sandbox';

import type { Scenario } from '../../../scenarios/scenario.ts';
import { PROGRAMS } from '../cases/programs.ts';
import type { Program } from '../cases/programs.ts';

const LEAST = 40;
const LANES = 3;
const LIMITS = { memoryBytes: 2e9, diskBytes: 1e9, processes: 512, cpuSeconds: 120, wallMs: 120_000 };

/** What people use all day, under the list of allowed system calls. */
export const programScenario: Scenario = {
  name: 'programs',
  title: 'at least 40 ordinary programs do their work under the list of allowed system calls',
  async run(context) {
    const provider = createNamespaceProvider();
    context.defer(() => provider.close());
    const ran: string[] = [];
    const failed: string[] = [];
    const missing: string[] = [];
    const queue = PROGRAMS.map((program, at) => ({ program, at }));
    const runNext = async (sandbox: Sandbox): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const { program, at } = next;
        if (!(await isThere(sandbox, program))) {
          missing.push(program.name);
          continue;
        }
        const folder = `p${at}`;
        const result = await sandbox.exec(`mkdir ${folder} && cd ${folder} && { ${program.work}\n}`);
        if (result.exitCode === 0) ran.push(program.name);
        else failed.push(`${program.name} (${result.exitCode ?? result.end}: ${result.output.trim().slice(-200)})`);
        context.log(
          `${program.name}: ${result.exitCode === 0 ? 'ran' : 'failed'} in ${result.durationMs.toFixed(0)} ms`,
        );
        await sandbox.exec(['rm', '-rf', folder]);
      }
    };
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        const sandbox = await provider.create({ owner: 'chaos-sandbox', limits: LIMITS });
        await runNext(sandbox);
        await sandbox.destroy();
      }),
    );
    context.report({
      name: 'programs under the list of calls',
      figure: `${ran.length} ran${failed.length === 0 ? '' : `; failed: ${failed.join('; ')}`}${missing.length === 0 ? '' : `; not installed here: ${missing.join(', ')}`}`,
      bar: `≥ ${LEAST} ran, none failed`,
      ok: ran.length >= LEAST && failed.length === 0,
    });
  },
};

async function isThere(sandbox: Sandbox, { needs, module }: Program): Promise<boolean> {
  if ((await sandbox.exec(['sh', '-c', 'command -v "$1"', 'sh', needs])).exitCode !== 0) return false;
  return module === undefined || (await sandbox.exec(['python3', '-c', `import ${module}`])).exitCode === 0;
}
