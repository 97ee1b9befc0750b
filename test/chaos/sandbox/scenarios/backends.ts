import { join } from 'node:path';

import { createContainerProvider, createNamespaceProvider, createSshProvider } from '@lachesis/sdk/sandbox';
import type { SandboxProvider } from '@lachesis/sdk/sandbox';

import { PODMAN_IMAGE, startPodman } from '../../../peers/podman/start-podman.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import type { Attack } from '../cases/attack.ts';
import { attacks } from '../cases/attacks.ts';
import { probes } from '../cases/probes.ts';
import { chooseSlice } from '../../../kit/choose-slice.ts';
import { openCanaries } from '../world/open-canaries.ts';
import { runAttacks } from '../world/run-attacks.ts';
import { runProbes } from '../world/run-probes.ts';
import { startSshHost } from '../world/start-ssh-host.ts';

/** A command in a container or over ssh takes a second on a small machine; the short form meets some of them. */
const FEW = 24;
const USER = '61234:61234';

/** The same attacks on a real container engine, and on a machine behind a real sshd. */
export const backendScenario: Scenario = {
  name: 'backends',
  title: 'the corpus on a real podman and over a real sshd to a machine behind a wall',
  async run(context) {
    await showPodman(context);
    await showSsh(context);
  },
};

const BAR = '0, canaries untouched';

async function showPodman(context: ScenarioContext): Promise<void> {
  const scratch = await context.scratch();
  const podman = await startPodman(process.env['LACHESIS_PODMAN'], join(scratch, 'engine'));
  if (typeof podman === 'string') {
    context.reportNotRun({ name: 'escapes from podman', why: podman, bar: BAR });
    return;
  }
  context.defer(() => podman.stop());
  const provider = createContainerProvider({ socketPath: podman.socketPath, image: PODMAN_IMAGE, user: USER });
  context.defer(() => provider.close());
  // An image has users, folders and a view of processes of its own.
  const chosen = attacks.filter(({ view }) => view !== 'ours');
  await showCorpus(context, { name: 'escapes from podman', provider, attacks: chosen, isFiltered: false });
  await showLimits(context, provider);
}

async function showSsh(context: ScenarioContext): Promise<void> {
  const machines = createNamespaceProvider();
  context.defer(() => machines.close());
  const host = await startSshHost(machines, await context.scratch());
  if (typeof host === 'string') {
    context.reportNotRun({ name: 'escapes over ssh', why: host, bar: BAR });
    return;
  }
  context.defer(() => host.stop());
  const provider = createSshProvider(host);
  // What is not to be had on the other machine is; neighbours there are one user's folders.
  const chosen = attacks.filter(({ area, view }) => area !== 'neighbour' && view !== 'ours');
  await showCorpus(context, { name: 'escapes over ssh', provider, attacks: chosen, isFiltered: true });
}

interface CorpusOptions {
  readonly name: string;
  readonly provider: SandboxProvider;
  readonly attacks: readonly Attack[];
  readonly isFiltered: boolean;
}

async function showCorpus(context: ScenarioContext, options: CorpusOptions): Promise<void> {
  const { name, provider, isFiltered } = options;
  const canaries = await openCanaries(await context.scratch());
  context.defer(() => canaries.close());
  const chosen = context.full ? options.attacks : chooseSlice(options.attacks, FEW);
  const sandbox = await provider.create({ owner: 'chaos-sandbox', limits: { wallMs: 120_000 } });
  const { env } = canaries;
  const { through, unfiltered, broken } = await runProbes({ sandbox, probes, env, isFiltered });
  await sandbox.destroy();
  const escapes = await runAttacks({ provider, attacks: chosen, canaries, owner: 'chaos-sandbox', log: context.log });
  const found = [...escapes, ...through, ...broken];
  const left =
    unfiltered.length === 0 ? '' : `; left to its own filter, which lets them pass: ${unfiltered.join(', ')}`;
  context.report({
    name,
    figure: `${found.length} of ${chosen.length} attacks and ${probes.length} probes${found.length === 0 ? '' : `: ${found.join('; ')}`}${left}`,
    bar: BAR,
    ok: found.length === 0,
  });
}

/** Those that an engine holds for us. */
async function showLimits(context: ScenarioContext, provider: SandboxProvider): Promise<void> {
  const limits = { memoryBytes: 128 * 1024 * 1024, processes: 60, wallMs: 30_000 };
  const sandbox = await provider.create({ owner: 'chaos-sandbox', limits });
  const memory = await sandbox.exec(`python3 -c "
kept = []
while True:
  kept.append(bytearray(b'x') * 1048576)
  print(int(open('/proc/self/statm').read().split()[1]) * 4096, flush=True)"`);
  const processes = await sandbox.exec(`python3 -c "
import os, time
n = len([p for p in os.listdir('/proc') if p.isdigit()]) - 2
try:
  while True:
    if os.fork() == 0: time.sleep(5); os._exit(0)
    n += 1
except OSError: print(n, flush=True)"`);
  await sandbox.endCommands();
  const left = await sandbox.exec('ls -d /proc/[0-9]* | wc -l');
  const shares = [
    Number(memory.stdout.trim().split('\n').at(-1)) / limits.memoryBytes,
    Number(processes.stdout) / limits.processes,
  ];
  context.report({
    name: 'limits of podman',
    figure: `memory ${((shares[0] ?? 0) * 100).toFixed(1)} %, processes ${((shares[1] ?? 0) * 100).toFixed(1)} %, then ${left.stdout.trim()} processes are left`,
    bar: '100 ± 5 %, then ≤ 8 processes',
    ok: shares.every((share) => Math.abs(share - 1) <= 0.05) && Number(left.stdout) <= 8,
  });
  await sandbox.destroy();
}
