import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';

import { readStartTicks } from './processes.ts';

/** The variable by which a process of a sandbox is known on the host. */
export const TAG_VARIABLE = 'LACHESIS_SANDBOX';
const PREFIX = 'lachesis-sandbox';

/** What is written on everything a sandbox consists of: whose it is, and which process made it. */
export interface SandboxTag {
  readonly owner: string;
  /** In which a process number means something; in a container it is another than outside. */
  readonly pidNamespace: number;
  readonly pid: number;
  readonly startTicks: number;
  readonly id: string;
}

/** Owners are free text, and a tag is also the name of a folder. */
export function hashOwner(owner: string): string {
  return createHash('sha256').update(owner).digest('hex').slice(0, 12);
}

export function writeTag({ owner, pidNamespace, pid, startTicks, id }: SandboxTag): string {
  return [PREFIX, hashOwner(owner), pidNamespace, pid, startTicks, id].join('-');
}

/** The owner comes back as its hash. Undefined for a name that is no tag. */
export function readTag(text: string): (Omit<SandboxTag, 'owner'> & { ownerHash: string }) | undefined {
  const found = /^lachesis-sandbox-([0-9a-f]{12})-(\d+)-(\d+)-(\d+)-([0-9a-f]+)$/.exec(text);
  if (found === null) return undefined;
  const [, ownerHash = '', pidNamespace, pid, startTicks, id = ''] = found;
  return { ownerHash, pidNamespace: Number(pidNamespace), pid: Number(pid), startTicks: Number(startTicks), id };
}

export type Maker = Pick<SandboxTag, 'pidNamespace' | 'pid' | 'startTicks'>;

/** How this process signs what it makes. */
export function describeMaker(): Maker {
  return { pidNamespace: readPidNamespace(), pid: process.pid, startTicks: readStartTicks(process.pid) ?? 0 };
}

/** Whether the process that made the sandbox still runs. One whose number means nothing here is taken to. */
export function isMakerAlive({ pidNamespace, pid, startTicks }: Maker): boolean {
  return pidNamespace !== readPidNamespace() || readStartTicks(pid) === startTicks;
}

function readPidNamespace(): number {
  return Number(/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? 0);
}
