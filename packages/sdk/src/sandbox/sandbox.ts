import type { Readable } from 'node:stream';

import type { EgressRule } from '../egress/create-egress-rule.ts';
import type { EgressProxy, EgressProxyOptions } from '../egress/proxy/create-egress-proxy.ts';

/** How much one sandbox may use. A limit ends the command that reaches it and is named in `ExecResult.end`. */
export interface SandboxLimits {
  /** Memory of all processes of the sandbox together, its files included where they live in memory. */
  readonly memoryBytes: number;
  /** Processes and threads alive at once. */
  readonly processes: number;
  /** What the sandbox may keep in its work folder. */
  readonly diskBytes: number;
  /** What one command may print, both streams together. The rest is dropped and the command ended. */
  readonly outputBytes: number;
  /** Processor time of one command, all its processes together. */
  readonly cpuSeconds: number;
  /** Time of one command on the wall clock. */
  readonly wallMs: number;
}

/** Which hosts commands may ask. A proxy of ours on the sandbox's loopback is the way to them, and there is no other. */
export interface SandboxNetwork extends Pick<EgressProxyOptions, 'allow' | 'quotas' | 'onRequest'> {
  /** What may be asked at all. Default: the public internet, and what LACHESIS_EGRESS_ALLOW adds. */
  readonly rule?: EgressRule | undefined;
}

export interface CreateSandbox {
  /** Whose it is: a reaper that knows the owner is gone may end everything that carries this label. */
  readonly owner: string;
  /** A folder of the host whose content is copied into the work folder. Links that leave it are not followed. */
  readonly folder?: string;
  /** For providers that start from images. */
  readonly image?: string;
  readonly limits?: Partial<SandboxLimits>;
  /** After this time the sandbox is destroyed even if nobody asks. */
  readonly lifetimeMs?: number;
  /** What commands see besides PATH, HOME, LANG and TMPDIR. Nothing of the host's environment is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Absent: none. Only the namespace sandbox has it; others refuse it. */
  readonly network?: SandboxNetwork | undefined;
  /** Shown to people beside the id, for example the name of the task. */
  readonly label?: string;
}

export interface ExecOptions {
  /** At most the sandbox's `wallMs`. */
  readonly timeoutMs?: number;
  /** At most the sandbox's `outputBytes`. */
  readonly outputBytes?: number;
  /** Standard input; empty without it. A stream is passed on as it comes. */
  readonly input?: string | Uint8Array | Readable;
  /** Inside the sandbox; the work folder without it. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  onOutput?(chunk: OutputChunk): void;
  /** Ends the command; the result says `killed`. */
  readonly signal?: AbortSignal;
}

export interface OutputChunk {
  readonly stream: 'stdout' | 'stderr';
  /** A character that is cut at the end of a chunk comes whole with the next one. */
  readonly text: string;
  /** As they came, for what is no text. */
  readonly bytes?: Uint8Array;
}

/** Why a command is over. Only `exited` was its own choice. */
export type ExecEnd = 'exited' | 'timeout' | 'memory' | 'output' | 'cpu' | 'killed';

export interface ExecResult {
  /** `null` when a signal ended the command. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Both streams in the order in which they arrived. */
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly isTruncated: boolean;
  readonly end: ExecEnd;
  readonly durationMs: number;
}

export interface FileEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly bytes: number;
}

export interface FileChange {
  /** Relative to the work folder. */
  readonly path: string;
  readonly change: 'added' | 'modified' | 'removed';
  /** Absent for a removed file, and for one that was excepted. */
  readonly content?: Uint8Array;
  readonly isExecutable?: boolean;
}

export interface DiffOptions {
  /** Files and folders of the work folder whose changes are named without their content. */
  readonly except?: readonly string[];
}

/** A place in which commands of a model run, away from this machine's files and network. */
export interface Sandbox {
  readonly id: string;
  /** Whatever a sandbox says was said by the code inside it, so it grades nothing on its own word. */
  readonly isTrusted: false;
  readonly workdir: '/work';
  /** What commands asked of the network, if they have one. */
  readonly network?: Pick<EgressProxy, 'log' | 'usage'> | undefined;
  /** A text is given to `sh -c`; a list is run as it is. Commands of one sandbox share files; they may run at once. */
  exec(command: string | readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Relative paths are taken from the work folder. No path is followed out of the sandbox. */
  readFile(path: string): Promise<Uint8Array>;
  /** Missing folders are made. */
  writeFile(path: string, data: string | Uint8Array): Promise<void>;
  listFiles(path: string): Promise<FileEntry[]>;
  /** A folder goes with what is in it; a missing path is no error. */
  removeFile(path: string): Promise<void>;
  /**
   * Files of the work folder that differ from what was copied in, read in one go. Links and special files are left out. More
   * than 20,000 of them or 64 MB, or more than 100,000 files in all, are refused as `too-large`.
   */
  diff(options?: DiffOptions): Promise<FileChange[]>;
  /**
   * Ends every command that still runs and what they left behind, such as servers an agent started. Files stay and new
   * commands can follow. Rejects where something could not be ended.
   */
  endCommands(): Promise<void>;
  /** May be called twice and at once. Every process of the sandbox is gone when it returns. */
  destroy(): Promise<void>;
}

/** What makes sandboxes of one kind, and ends those whose owner is gone. */
export interface SandboxProvider {
  readonly name: string;
  create(options: CreateSandbox): Promise<Sandbox>;
  /** Ends the sandboxes of an owner that is gone, also those of an earlier process; answers how many. */
  reap(owner: string): Promise<number>;
  /** Destroys what this provider created and still lives. */
  close(): Promise<void>;
}
