import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { PassThrough } from 'node:stream';

import { SandboxError } from '../sandbox-error.ts';
import type { Launcher } from './launcher.ts';

const COPY_TIMEOUT_MS = 60_000;

export interface CopyFolderInOptions {
  readonly launcher: Launcher;
  /** On this machine. */
  readonly folder: string;
}

/** Copies what is in a folder of the host into the work folder. Links are copied as links; owners become the sandbox's own. */
export async function copyFolderIn({ launcher, folder }: CopyFolderInOptions): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new SandboxError({
      kind: 'bad-options',
      reason: `The folder ${folder} to copy into the sandbox does not exist or is no folder.`,
      hint: 'Create it, or leave out `folder` for an empty work folder.',
    });
  }
  const archiver = spawn('tar', ['-C', folder, '-cf', '-', '.'], { stdio: ['ignore', 'pipe', 'ignore'] });
  // Node throws away what a child printed if nobody listens when it ends, and the launcher may take a while.
  const archive = archiver.stdout.pipe(new PassThrough());
  const packed = new Promise<number | null>((resolve, reject) => {
    archiver.once('error', reject);
    archiver.once('close', resolve);
  });
  const result = launcher.launch(['tar', '-xf', '-', '--no-same-owner', '-C', launcher.root], {
    timeoutMs: COPY_TIMEOUT_MS,
    outputBytes: 64 * 1024,
    cwd: launcher.root,
    env: {},
    input: archive,
  });
  const [packedCode, unpacked] = await Promise.all([packed, result.finally(() => archiver.kill('SIGKILL'))]);
  if (unpacked.exitCode === 0 && (packedCode === 0 || packedCode === null)) return;
  const complaint = unpacked.stderr.toString('utf8').trim();
  const isFull = /No space left/.test(complaint);
  throw new SandboxError({
    kind: isFull ? 'disk-full' : 'failed',
    reason: `Could not copy ${folder} into the sandbox (tar ended with ${packedCode ?? 'a signal'} here and ${unpacked.exitCode ?? unpacked.end} inside: ${complaint.slice(-200)}).`,
    hint: isFull ? 'Raise diskBytes or copy less.' : 'Check that the folder can be read and that tar is installed.',
  });
}
