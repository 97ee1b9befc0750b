import type { Readable } from 'node:stream';

import type { ExecEnd, OutputChunk } from '../sandbox.ts';

/** A command's result before its bytes are taken for text. */
export interface RawResult {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly output: Buffer;
  readonly isTruncated: boolean;
  readonly end: ExecEnd;
  readonly durationMs: number;
}

export interface LaunchOptions {
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly input?: string | Uint8Array | Readable;
  /** As the launcher's machine names it. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onOutput?: (chunk: OutputChunk) => void;
  readonly signal?: AbortSignal;
}

/** What a backend has to bring: run a list of words inside, and end everything. The rest is built on these two. */
export interface Launcher {
  /** Where the work folder is for programs that the launcher starts: `/work`, or a folder where there is no such view. */
  readonly root: string;
  /** The code inside sees `root` and nothing of the host, so paths need no guard. */
  readonly isContained: boolean;
  launch(argv: readonly string[], options: LaunchOptions): Promise<RawResult>;
  /** Ends what commands that are over left running, and resolves when it is gone. Called while no command runs. */
  endLeftovers(): Promise<void>;
  /** Resolves when nothing of the sandbox is left. */
  destroy(): Promise<void>;
}
