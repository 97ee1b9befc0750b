import { readTar, type Sandbox } from '@lachesis/sdk/sandbox';

export interface SnapshotEntry {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** The nine bits of permission. */
  readonly mode: number;
  /** Of a file. Bytes that are no text are replaced, so such a file equals no expected text. */
  readonly text?: string;
  /** Of a link. */
  readonly target?: string;
}

export type Snapshot = ReadonlyMap<string, SnapshotEntry>;

/** The work of a small task is small; who fills the disk has not done it. As base64 it fits into the output of one command. */
const MAX_BYTES = 600_000;

/**
 * What is there, by path, read once and as it lies: links are not followed, and pipes are not opened. What changes afterwards
 * does not count. Undefined when it is too much to be an answer, or could not be read.
 */
export async function takeSnapshot(sandbox: Sandbox, paths: readonly string[]): Promise<Snapshot | undefined> {
  const script =
    `tar --format=ustar --owner=0 --group=0 --mtime=@0 --hard-dereference -cf - -- "$@" 2> /dev/null` +
    ` | head -c ${MAX_BYTES} | base64 -w0`;
  const run = await sandbox.exec(['sh', '-c', script, 'sh', ...paths.map((path) => `./${path}`)]);
  if (run.end !== 'exited' || run.isTruncated) return undefined;
  const archive = Buffer.from(run.stdout, 'base64');
  if (archive.length >= MAX_BYTES) return undefined;
  return new Map(
    Array.from(readTar(archive), ({ path, kind, mode, content, target }) => [
      path,
      {
        kind,
        mode,
        ...(kind === 'file' ? { text: content.toString('utf8') } : {}),
        ...(kind === 'link' ? { target } : {}),
      },
    ]),
  );
}
