import type { Sandbox } from '@lachesis/sdk/sandbox';
import type { ExecResult, SandboxLimits } from '../../../../packages/sdk/src/sandbox/sandbox.ts';

import { readMemoryAndTcp } from '../world/read-memory-and-tcp.ts';

const MEGABYTE = 1024 * 1024;

export const LIMITS: SandboxLimits = {
  memoryBytes: 256 * MEGABYTE,
  processes: 100,
  diskBytes: 64 * MEGABYTE,
  outputBytes: 300_000,
  cpuSeconds: 2,
  wallMs: 20_000,
};

/** A way to have more than was given. */
export interface Abuse {
  readonly name: string;
  readonly script: string;
  readonly end: ExecResult['end'];
  /** What was really had, and what may be had. */
  measure(result: ExecResult, limits: SandboxLimits, sandbox: Sandbox): readonly [number, number];
  /** Holds if no more than that is had, since nobody can say what the kernel needs for itself. */
  readonly isCeiling?: true;
  /** Terminals are root's to give; others have none. */
  readonly needsRoot?: true;
}

const lastNumber = (text: string): number => Number(/(\d+(?:\.\d+)?)\D*$/.exec(text)?.[1] ?? Number.NaN);

export const ABUSES: readonly Abuse[] = [
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
  {
    name: 'memory of files without a name',
    script: `python3 -c "
import os
f = os.memfd_create('x'); n = 0
while True: n += os.write(f, b'x' * 1048576); print(n, flush=True)"`,
    end: 'memory',
    measure: (result, limits) => [lastNumber(result.stdout), limits.memoryBytes],
    isCeiling: true,
  },
  {
    name: 'shared memory that belongs to nobody',
    script: `python3 -c "
import ctypes
c = ctypes.CDLL(None, use_errno=True); c.shmat.restype = ctypes.c_void_p; c.shmdt.argtypes = [ctypes.c_void_p]; n = 0
while True:
  i = c.shmget(0, 1 << 20, 0o1666); a = c.shmat(i, None, 0)
  if i < 0: break
  ctypes.memset(a, 1, 1 << 20); c.shmdt(a); n += 1 << 20; print(n, flush=True)"`,
    end: 'memory',
    measure: (result, limits) => [lastNumber(result.stdout), limits.memoryBytes],
    isCeiling: true,
  },
  {
    name: 'memory of the kernel for files',
    // A file of tmpfs takes the kernel about a kilobyte.
    script: `python3 -c "
import os
n = 0
while True:
  os.close(os.open(f'/tmp/{n}', os.O_CREAT | os.O_WRONLY)); n += 1
  if n % 1000 == 0: print(n * 1024, flush=True)"`,
    end: 'memory',
    measure: (result, limits) => [lastNumber(result.stdout), limits.memoryBytes],
    isCeiling: true,
  },
  {
    name: 'memory and buffers of TCP together',
    script: `python3 -c "
import socket, time
s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(500); kept = []
for i in range(400):
  a = socket.create_connection(s.getsockname()); b, _ = s.accept(); kept += [a, b]
  for c in (a, b):
    c.setblocking(False)
    try:
      while True: c.send(b'x' * 65536)
    except BlockingIOError: pass
time.sleep(1)"`,
    end: 'memory',
    // Beside all the memory that may be had; where the kernel counts them as memory, they cannot be besides.
    measure: (_result, { memoryBytes }, sandbox) => [readMemoryAndTcp(sandbox.id) ?? memoryBytes, memoryBytes],
    isCeiling: true,
  },
  {
    name: 'terminals',
    script: `python3 -c "
import pty
n = 0
try:
  while True: pty.openpty(); n += 1
except OSError: print(n)"`,
    end: 'exited',
    measure: (result) => [lastNumber(result.stdout), 64],
    needsRoot: true,
  },
  {
    name: 'open files of one process',
    script: `python3 -c "
import os
n = 3
try:
  while True: os.dup(0); n += 1
except OSError: print(n)"`,
    end: 'exited',
    measure: (result) => [lastNumber(result.stdout), 1_024],
  },
];
