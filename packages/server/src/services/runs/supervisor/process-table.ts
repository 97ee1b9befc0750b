import type { RunRole } from '@lachesis/protocol';

/** What every process of a run carries in its environment: how it is known when nobody remembers starting it. */
export interface ProcessTag {
  /** Whose runs these are; two libraries on one machine leave each other's processes alone. */
  library: string;
  tenantId: string;
  runId: string;
  role: RunRole;
  /** One for each start. */
  instanceId: string;
}

export interface TaggedProcess {
  pid: number;
  /** When the system says it began. */
  started: string;
  /** It was started by a supervisor; others with the tag were started by it. */
  isLeader: boolean;
  tag: ProcessTag;
}

export interface SpawnOptions {
  file: string;
  arguments: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  workingDirectory?: string | undefined;
  /** Both outputs go there, straight: they do not end when we do. */
  logPath: string;
  /** Told when it ended, if we are still there. */
  onExit: (end: { code: number | null; signal: string | null; error?: string }) => void;
}

/** The system's processes, as far as a supervisor needs them. */
export interface ProcessTable {
  /** Starts a process in a session of its own. */
  spawn(options: SpawnOptions): { pid: number | undefined };
  /** When the pid began; undefined when there is no such process, or one that has ended and is not yet collected. */
  readStart(pid: number): string | undefined;
  /** Every process of ours with a tag, this one excepted. Empty where the system does not tell. */
  list(): Promise<TaggedProcess[]>;
  /** False when it is gone. */
  signal(pid: number, signal: 'SIGKILL' | 'SIGTERM', to: 'group' | 'process'): boolean;
  /** The machine whose processes these are. */
  host(): string;
  /** A name for this process that no other has, and whether another such name belongs to a process that is gone. */
  self(): string;
  isGone(name: string): boolean;
}

export const isAlive = (table: ProcessTable, process: { pid: number | null; pidStarted: string | null }): boolean =>
  process.pid !== null && process.pidStarted !== null && table.readStart(process.pid) === process.pidStarted;
