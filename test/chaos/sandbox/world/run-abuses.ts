import type { Sandbox, SandboxProvider } from '@lachesis/sdk/sandbox';

import type { ScenarioLine } from '../../../scenarios/scenario.ts';
import { LIMITS } from '../cases/abuses.ts';
import type { Abuse } from '../cases/abuses.ts';

const TOLERANCE = 0.05;
const LANES = 3;
/** Enough that a slow machine comes to the limit that is meant before it comes to this one. */
const AMPLE = { cpuSeconds: 60, wallMs: 120_000 };

export interface RunAbusesOptions {
  readonly provider: SandboxProvider;
  readonly abuses: readonly Abuse[];
  report(line: ScenarioLine): void;
}

/** Each in a sandbox of its own, which has to go on afterwards. */
export async function runAbuses({ provider, abuses, report }: RunAbusesOptions): Promise<void> {
  const queue = [...abuses];
  const runNext = async (): Promise<void> => {
    for (let abuse = queue.shift(); abuse !== undefined; abuse = queue.shift()) {
      const limits = abuse.end === 'cpu' ? LIMITS : { ...LIMITS, ...AMPLE };
      const sandbox = await provider.create({ owner: 'chaos-sandbox', limits });
      report(await runAbuse(sandbox, abuse));
      await sandbox.destroy();
    }
  };
  await Promise.all(Array.from({ length: LANES }, runNext));
}

async function runAbuse(sandbox: Sandbox, abuse: Abuse): Promise<ScenarioLine> {
  const result = await sandbox.exec(abuse.script);
  const [had, given] = abuse.measure(result, LIMITS, sandbox);
  const share = had / given;
  const after = await sandbox.exec('echo alive');
  const isHeld = share <= 1 + TOLERANCE && (abuse.isCeiling === true ? share > 0 : share >= 1 - TOLERANCE);
  return {
    name: `limit of ${abuse.name}`,
    figure: `${(share * 100).toFixed(1)} % of ${given}, ended by ${result.end}, then ${after.stdout.trim()}`,
    bar: `${abuse.isCeiling === true ? '≤ 105 %' : '100 ± 5 %'}, ended by ${abuse.end}, then alive`,
    ok: isHeld && result.end === abuse.end && after.stdout === 'alive\n',
  };
}
