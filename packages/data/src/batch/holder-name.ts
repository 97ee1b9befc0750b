import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Names holders of leases: one for each life of a process, so that a dead one on this machine is known to be dead. */
export interface HolderNames {
  readonly self: string;
  isGone(holder: string): boolean;
}

export function readHolderNames(pid: number = process.pid): HolderNames {
  const place = describePlace();
  return {
    self: `${place}/${pid}/${readStart(pid) ?? ''}`,
    isGone(holder) {
      const parts = holder.split('/');
      // Of another machine we know nothing: its leases have to run out.
      if (parts.slice(0, -2).join('/') !== place || place === '') return false;
      return readStart(Number(parts.at(-2))) !== parts.at(-1);
    },
  };
}

/** Where a pid means something: the machine, its boot, and the space that pids are counted in. Empty where nobody can tell. */
function describePlace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()}/${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Only Linux says it; elsewhere leases run out.
    return '';
  }
}

/** When a process began, in ticks since the boot; undefined when it is gone. */
function readStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie holds nothing and will write nothing.
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
