import { createNamespaceProvider } from '@lachesis/sdk/sandbox';
import type { ExecResult, Sandbox, SandboxLimits } from '@lachesis/sdk/sandbox';

import type { Show, ShowContext } from '../../../shows/show.ts';

const MEGABYTE = 1024 * 1024;
const TOLERANCE = 0.05;
const LANES = 3;
/** How long the kernel may take to end a few hundred processes on a busy machine. */
const ENDING_MS = 3_000;

const LIMITS: SandboxLimits = {
  memoryBytes: 256 * MEGABYTE,
  processes: 100,
  diskBytes: 64 * MEGABYTE,
  outputBytes: 300_000,
  cpuSeconds: 2,
  wallMs: 20_000,
};

interface Abuse {
  readonly name: string;
  readonly script: string;
  readonly end: ExecResult['end'];
  /** What was really had, and what may be had. */
  measure(result: ExecResult, limits: SandboxLimits): readonly [number, number];
}

const lastNumber = (text: string): number => Number(/(\d+(?:\.\d+)?)\D*$/.exec(text)?.[1] ?? Number.NaN);

const ABUSES: readonly Abuse[] = [
  {
    name: 'memory of one process',
    // Its own pages, its program's included, are what the kernel counts.
    script: `python3 -c "
import os
kept = []
while True:
  kept.append(bytearray(b'x') * 1048576)
  print(int(open('/proc/self/statm').read().split()[1]) * 4096, flush=True)"`,
    end: 'memory',
    measure: (result, limits) => [lastNumber(result.stdout), limits.memoryBytes],
  },
  {
    name: 'memory of many processes',
    // What those that live hold at one moment, with their page tables; a page that several share counts once. What a child said
    // before the kernel killed it must not be added to what its successors take in its place.
    script: `python3 -c "
import os, time
def count(file, name): return sum(int(l.split()[1]) for l in open(file) if l.startswith(name)) * 1024
def held():
  total = 0
  for pid in filter(str.isdigit, os.listdir('/proc')):
    try: total += count('/proc/' + pid + '/smaps_rollup', 'Pss_Anon') + count('/proc/' + pid + '/status', 'VmPTE')
    except OSError: pass
  return total
for size in [16] * 14 + [1] * 80:
  r, w = os.pipe()
  if os.fork() == 0:
    kept = bytearray(b'x') * (size * 1048576)
    os.close(w)
    time.sleep(20)
  os.close(w); os.read(r, 1); os.close(r)
  if size == 1: print(held(), flush=True)"`,
    end: 'memory',
    measure: (result, limits) => [Math.max(...result.stdout.trim().split('\n').map(Number)), limits.memoryBytes],
  },
  {
    name: 'disk',
    script:
      'head -c 200000000 /dev/zero > big; head -c 200000000 /dev/zero > /tmp/big; head -c 200000000 /dev/zero > /dev/shm/big; cat big /tmp/big /dev/shm/big | wc -c',
    end: 'exited',
    measure: (result, limits) => [lastNumber(result.stdout), limits.diskBytes],
  },
  {
    name: 'processes',
    script: `python3 -c "
import os, time
n = 2
try:
  while True:
    if os.fork() == 0: time.sleep(20); os._exit(0)
    n += 1
except OSError: print(n, flush=True)"`,
    end: 'exited',
    measure: (result, limits) => [lastNumber(result.stdout), limits.processes],
  },
  {
    name: 'threads',
    script: `python3 -c "
import threading, time, os
n = 2
try:
  while True:
    threading.Thread(target=time.sleep, args=(20,), daemon=True).start(); n += 1
except RuntimeError: print(n, flush=True); os._exit(0)"`,
    end: 'exited',
    measure: (result, limits) => [lastNumber(result.stdout), limits.processes],
  },
  {
    name: 'processor time of one process',
    script: `python3 -c "
import time
while True:
  for i in range(50000): pass
  print(time.process_time(), flush=True)"`,
    end: 'cpu',
    measure: (result, limits) => [lastNumber(result.stdout), limits.cpuSeconds],
  },
  {
    name: 'processor time of two processes',
    script: `for i in 1 2; do python3 -c "
import time
while True:
  for i in range(50000): pass
  print('$i', time.process_time(), flush=True)" & done; wait`,
    end: 'cpu',
    measure: (result, limits) => [
      ['1', '2'].reduce((sum, name) => {
        const lines = result.stdout.split('\n').filter((line) => line.startsWith(`${name} `));
        return sum + Number(lines.at(-1)?.split(' ')[1] ?? 0);
      }, 0),
      limits.cpuSeconds,
    ],
  },
  {
    name: 'output',
    script: 'yes',
    end: 'output',
    measure: (result, limits) => [Buffer.byteLength(result.output), limits.outputBytes],
  },
  {
    name: 'output on both streams',
    script: 'yes & yes >&2',
    end: 'output',
    measure: (result, limits) => [Buffer.byteLength(result.output), limits.outputBytes],
  },
];

/** Attempts to have more than was given, each measured against its limit; and the sandbox goes on afterwards. */
export const limitShow: Show = {
  name: 'limits',
  title: 'memory, disk, processes, processor, output and time hold within 5 %, and the sandbox stays usable',
  async run(context) {
    const provider = createNamespaceProvider();
    context.defer(() => provider.close());
    const queue = [...ABUSES];
    const runNext = async (): Promise<void> => {
      for (let abuse = queue.shift(); abuse !== undefined; abuse = queue.shift()) {
        const sandbox = await provider.create({ owner: 'chaos-sandbox', limits: LIMITS });
        await runAbuse(context, sandbox, abuse);
        await sandbox.destroy();
      }
    };
    await Promise.all(Array.from({ length: LANES }, runNext));
    const sandbox = await provider.create({ owner: 'chaos-sandbox', limits: LIMITS });
    await runHeld(context, sandbox);
    await sandbox.destroy();
  },
};

async function runAbuse(context: ShowContext, sandbox: Sandbox, abuse: Abuse): Promise<void> {
  const result = await sandbox.exec(abuse.script);
  const [had, given] = abuse.measure(result, LIMITS);
  const share = had / given;
  const after = await sandbox.exec('echo alive');
  context.report({
    name: `limit of ${abuse.name}`,
    figure: `${(share * 100).toFixed(1)} % of ${given}, ended by ${result.end}, then ${after.stdout.trim()}`,
    bar: `100 ± 5 %, ended by ${abuse.end}, then alive`,
    ok: Math.abs(share - 1) <= TOLERANCE && result.end === abuse.end && after.stdout === 'alive\n',
  });
}

/** Things that hold a command up or outlive it: they have no amount, only an end. */
async function runHeld(context: ShowContext, sandbox: Sandbox): Promise<void> {
  const timeoutMs = 800;
  const wallMs = 3_000;
  const waited = await sandbox.exec('sleep 60', { timeoutMs: wallMs });
  context.report({
    name: 'limit of time',
    figure: `${((waited.durationMs / wallMs) * 100).toFixed(1)} % of ${wallMs} ms, ended by ${waited.end}`,
    bar: '100 ± 5 %, ended by timeout',
    ok: Math.abs(waited.durationMs / wallMs - 1) <= TOLERANCE && waited.end === 'timeout',
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
  });
}
