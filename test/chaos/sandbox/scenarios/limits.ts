import { createNamespaceProvider } from '@lachesis/sdk/sandbox';
import type { Sandbox } from '@lachesis/sdk/sandbox';

import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { ABUSES, LIMITS } from '../cases/abuses.ts';
import { runAbuses } from '../world/run-abuses.ts';

const TOLERANCE = 0.05;
/** How long the kernel may take to end a few hundred processes on a busy machine. */
const ENDING_MS = 3_000;

/** Attempts to have more than was given, each measured against its limit; and the sandbox goes on afterwards. */
export const limitScenario: Scenario = {
  name: 'limits',
  title:
    'memory of every kind, disk, processes, files, terminals, processor, output and time hold, and the sandbox stays usable',
  async run(context) {
    const provider = createNamespaceProvider();
    context.defer(() => provider.close());
    await runAbuses({ provider, abuses: ABUSES, report: (line) => context.report(line) });
    const sandbox = await provider.create({ owner: 'chaos-sandbox', limits: LIMITS });
    await runHeld(context, sandbox);
    await sandbox.destroy();
  },
};

/** Things that hold a command up or outlive it: they have no amount, only an end. */
async function runHeld(context: ScenarioContext, sandbox: Sandbox): Promise<void> {
  const timeoutMs = 800;
  const wallMs = 3_000;
  const waited = await sandbox.exec('sleep 60', { timeoutMs: wallMs });
  context.report({
    name: 'limit of time',
    figure: `${((waited.durationMs / wallMs) * 100).toFixed(1)} % of ${wallMs} ms, ended by ${waited.end}`,
    bar: '100 ± 5 %, ended by timeout',
    ok: Math.abs(waited.durationMs / wallMs - 1) <= TOLERANCE && waited.end === 'timeout',
    onlyByClock: waited.end === 'timeout',
  });
  const held: Record<string, string> = {
    'a fork bomb': 'b() { b | b & }; b; sleep 60',
    'a daemon that keeps the pipes': '(setsid sleep 60 &) ; sleep 60',
    'a process that stops itself': 'kill -STOP $$; sleep 60',
    'deaf to every signal': "trap '' TERM INT HUP QUIT PIPE; while :; do sleep 1; done",
    'an endless reader': 'cat /dev/zero > /dev/null & sleep 60',
  };
  const found: string[] = [];
  let longest = 0;
  for (const [name, script] of Object.entries(held)) {
    const result = await sandbox.exec(script, { timeoutMs });
    longest = Math.max(longest, result.durationMs);
    const isEnded = result.end === 'timeout' || (name === 'an endless reader' && result.end === 'cpu');
    if (!isEnded) found.push(`${name} ended by ${result.end}`);
    const left = await sandbox.exec('ls -d /proc/[0-9]* | wc -l');
    if (Number(left.stdout) > 5) found.push(`${name} left ${left.stdout.trim()} processes`);
  }
  const started = await sandbox.exec('(setsid sh -c "sleep 0.3; touch survived" >/dev/null 2>&1 &); echo begun');
  await new Promise((resolve) => setTimeout(resolve, 700));
  if ((await sandbox.exec('ls /work')).stdout.includes('survived')) found.push('a daemon survived its command');
  context.report({
    name: 'commands that do not end',
    figure: `${found.length === 0 ? 'all ended' : found.join('; ')}, the longest ${(longest - timeoutMs).toFixed(0)} ms after its time; a daemon: ${started.end}`,
    bar: `all ended, ≤ ${ENDING_MS} ms after their time`,
    ok: found.length === 0 && longest - timeoutMs <= ENDING_MS,
    onlyByClock: found.length === 0,
  });
}
