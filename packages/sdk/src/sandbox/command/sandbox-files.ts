import { posix } from 'node:path';

import { SandboxError } from '../sandbox-error.ts';
import type { FileEntry, Sandbox } from '../sandbox.ts';
import type { Launcher, RawResult } from './launcher.ts';
import { readTar } from './tar.ts';

/** A file operation that takes longer is one that somebody inside holds up. */
const FILE_TIMEOUT_MS = 20_000;
const LIST_BYTES = 8 * 1024 * 1024;
const WORKDIR: Sandbox['workdir'] = '/work';
const MISSING = 40;
const WRONG_KIND = 41;
const OUTSIDE = 42;
const TOO_LARGE = 43;
const TOO_MANY = 44;
/** GNU tar's exit code for a file that changed while it was read. */
const CHANGED = 1;
/** A work folder with more regular files than this is not compared: each of them is hashed. */
export const MAX_WORK_FILES = 100_000;
/** What one diff brings at most: a whole disk of files is no answer to a task, and each is held in memory. */
export const MAX_DIFF_FILES = 20_000;
export const MAX_DIFF_BYTES = 64 * 1024 * 1024;
/** Header, padding and the entry of a long name. */
const TAR_BYTES_PER_FILE = 8 * 1024;

/**
 * Every operation is a program that runs inside, where a link or a folder that is swapped at the wrong moment leads to
 * another place inside and never to the host. `$1` is the path, `$2` the folder it must stay in, empty where the view
 * itself is the wall.
 */
// A name may end in line breaks, which a shell would cut off from what a command prints, hence the x.
const GUARD = `p=$1; if [ -n "$2" ]; then p=$(realpath -m -- "$1" && echo x) || exit ${OUTSIDE}; p=\${p%??}; r=$(realpath -- "$2"); case $p in "$r"|"$r"/*) ;; *) exit ${OUTSIDE};; esac; fi`;
const READ = `${GUARD}; [ -e "$p" ] || exit ${MISSING}; [ -f "$p" ] || exit ${WRONG_KIND}; exec cat -- "$p"`;
const WRITE = `${GUARD}; if [ -e "$p" ] && [ ! -f "$p" ]; then exit ${WRONG_KIND}; fi; mkdir -p -- "\${p%/*}/" && cat > "$p"`;
const LIST = `${GUARD}; [ -e "$p" ] || exit ${MISSING}; [ -d "$p" ] || exit ${WRONG_KIND}; exec find "$p/" -mindepth 1 -maxdepth 1 -printf '%y %s %f\\0'`;
/** The last name of the path is not followed: a link is removed and not what it names. */
const REMOVE = `b=\${1##*/}; d=\${1%/*}/; [ -d "$d" ] || exit 0; set -- "$d" "$2"; ${GUARD}; exec rm -rf -- "$p/$b"`;
/**
 * A file may claim to be longer than the disk; reading through its holes would take for ever. `$3` is the disk in KiB, `$4` how
 * many files may be there.
 */
const HASH = `cd -- "$1" || exit ${MISSING}; [ "$(find . -type f -printf x | head -c "$(($4 + 1))" | wc -c)" -le "$4" ] || exit ${TOO_MANY}; [ -z "$(find . -type f -size +"$3"k -print -quit)" ] || exit ${TOO_LARGE}; find . -type f -print0 | xargs -0 -r sha256sum -z --; find . -type f -printf 's %s %m %p\\0'`;
/** Names come on the input. What vanished meanwhile is left out; what became a link or a pipe is not opened. */
const TAKE = `cd -- "$1" || exit ${MISSING}; exec tar --format=gnu --no-recursion --ignore-failed-read --hard-dereference --null --verbatim-files-from -T - -cf - 2>/dev/null`;

export interface SandboxFiles extends Pick<Sandbox, 'readFile' | 'writeFile' | 'listFiles' | 'removeFile'> {
  /** Digest and mode of each regular file under the work folder, by relative path. */
  readDigests(): Promise<Map<string, FileDigest>>;
  /** Contents of regular files by relative path, all in one go. What is gone or of another kind by then is not in it. */
  takeFiles(paths: readonly string[]): Promise<Map<string, Uint8Array>>;
}

export interface FileDigest {
  readonly sha256: string;
  readonly isExecutable: boolean;
  readonly bytes: number;
}

export interface SandboxFilesOptions {
  readonly launcher: Launcher;
  /** No file longer than this is read into memory. */
  readonly maxFileBytes: number;
}

/** Files of a sandbox by way of commands inside it. Needs a POSIX shell, GNU find and coreutils there. */
export function createSandboxFiles({ launcher, maxFileBytes }: SandboxFilesOptions): SandboxFiles {
  const diskKilobytes = String(Math.ceil(maxFileBytes / 1024));
  const guard = launcher.isContained ? '' : launcher.root;
  const run = (script: string, path: string, more: { input?: string | Uint8Array; outputBytes: number }) =>
    launcher.launch(['/bin/sh', '-c', script, 'sh', path, guard, diskKilobytes, String(MAX_WORK_FILES)], {
      timeoutMs: FILE_TIMEOUT_MS,
      cwd: launcher.root,
      env: {},
      ...more,
    });
  return {
    async readFile(path) {
      const result = await run(READ, toInnerPath(launcher, path), { outputBytes: maxFileBytes });
      if (result.end === 'output') throw describeFailure('read', path, { ...result, exitCode: TOO_LARGE });
      if (result.exitCode !== 0) throw describeFailure('read', path, result);
      return new Uint8Array(result.stdout);
    },
    async writeFile(path, data) {
      const result = await run(WRITE, toInnerPath(launcher, path), { input: data, outputBytes: LIST_BYTES });
      if (result.exitCode !== 0) throw describeFailure('write', path, result);
    },
    async listFiles(path) {
      const result = await run(LIST, toInnerPath(launcher, path), { outputBytes: LIST_BYTES });
      if (result.exitCode !== 0) throw describeFailure('list', path, result);
      return splitAtNul(result.stdout)
        .map(readEntry)
        .sort((left, right) => (left.name < right.name ? -1 : 1));
    },
    async removeFile(path) {
      const result = await run(REMOVE, toInnerPath(launcher, path), { outputBytes: LIST_BYTES });
      if (result.exitCode !== 0) throw describeFailure('remove', path, result);
    },
    async readDigests() {
      const result = await run(HASH, launcher.root, { outputBytes: 64 * LIST_BYTES });
      if (result.exitCode !== 0) throw describeFailure('compare', '.', result);
      return readDigestLines(result.stdout);
    },
    async takeFiles(paths) {
      if (paths.length === 0) return new Map();
      const result = await run(TAKE, launcher.root, {
        input: paths.map((path) => `./${path}\0`).join(''),
        outputBytes: MAX_DIFF_BYTES + paths.length * TAR_BYTES_PER_FILE,
      });
      if (result.end === 'output') throw describeFailure('take', '.', { ...result, exitCode: TOO_LARGE });
      if (result.exitCode !== 0 && result.exitCode !== CHANGED) throw describeFailure('take', '.', result);
      const wanted = new Set(paths);
      const taken = new Map<string, Uint8Array>();
      for (const { path, kind, content } of readTar(result.stdout)) {
        if (kind === 'file' && wanted.has(path)) taken.set(path, new Uint8Array(content));
      }
      return taken;
    },
  };
}

/** A path from `/work` and one without it are the same file; other absolute paths are taken as they are, inside. */
export function toInnerPath(launcher: Launcher, path: string): string {
  if (path === '' || path.includes('\0')) {
    throw new SandboxError({
      kind: 'bad-path',
      reason: `The path ${JSON.stringify(path.slice(0, 200))} is empty or holds a zero byte.`,
      hint: 'Give a path inside the sandbox, such as result.txt, or one that begins with /work.',
    });
  }
  if (path === WORKDIR) return launcher.root;
  if (path.startsWith(`${WORKDIR}/`)) return posix.join(launcher.root, path.slice(WORKDIR.length + 1));
  return posix.isAbsolute(path) ? path : posix.join(launcher.root, path);
}

function describeFailure(verb: string, path: string, result: RawResult): SandboxError {
  const shown = JSON.stringify(path.slice(0, 200));
  const text = result.stderr.toString('utf8');
  if (result.exitCode === MISSING) {
    return new SandboxError({
      kind: 'not-found',
      reason: `Could not ${verb} ${shown}: there is no such file in the sandbox.`,
      hint: 'List its folder to see what is there.',
    });
  }
  if (result.exitCode === WRONG_KIND || /Is a directory|Not a directory/.test(text)) {
    return new SandboxError({
      kind: 'bad-path',
      reason: `Could not ${verb} ${shown}: it is of another kind, such as a folder, a pipe or a device.`,
      hint: 'Files are read and written, folders are listed.',
    });
  }
  if (result.exitCode === OUTSIDE) {
    return new SandboxError({
      kind: 'outside',
      reason: `Did not ${verb} ${shown}: it leads out of the sandbox.`,
      hint: 'Use a path under /work that is no link to another place.',
    });
  }
  if (result.exitCode === TOO_LARGE) {
    return new SandboxError({
      kind: 'too-large',
      reason: `Did not ${verb} ${shown}: it is longer than may be read at once.`,
      hint: 'Read a part of it with a command, or raise diskBytes.',
    });
  }
  if (result.exitCode === TOO_MANY) {
    return new SandboxError({
      kind: 'too-large',
      reason: `Did not ${verb} ${shown}: there are more than ${MAX_WORK_FILES} files in the work folder.`,
      hint: 'Read the files you need by name, or keep packages and build results out of the work folder.',
    });
  }
  if (/No space left/.test(text)) {
    return new SandboxError({
      kind: 'disk-full',
      reason: `Could not ${verb} ${shown}: the sandbox has no space left.`,
      hint: 'Remove files or raise diskBytes.',
    });
  }
  return new SandboxError({
    kind: 'failed',
    reason: `Could not ${verb} ${shown}: the command inside ended with ${result.exitCode ?? result.end}.`,
    hint: 'Look at the file with a command, for its owner and mode.',
  });
}

function splitAtNul(bytes: Buffer): string[] {
  return bytes.toString('utf8').split('\0').slice(0, -1);
}

const kinds: Readonly<Record<string, FileEntry['kind']>> = { f: 'file', d: 'folder', l: 'link' };

function readEntry(line: string): FileEntry {
  const [letter = '', bytes = '0'] = line.split(' ', 2);
  return { name: line.slice(letter.length + bytes.length + 2), kind: kinds[letter] ?? 'other', bytes: Number(bytes) };
}

function readDigestLines(bytes: Buffer): Map<string, FileDigest> {
  const hashes = new Map<string, string>();
  const digests = new Map<string, FileDigest>();
  for (const line of splitAtNul(bytes)) {
    const [, sha256, hashed] = /^([0-9a-f]{64}) [ *]\.\/([^]+)$/.exec(line) ?? [];
    if (sha256 !== undefined && hashed !== undefined) hashes.set(hashed, sha256);
    const [, size, mode, path] = /^s (\d+) ([0-7]+) \.\/([^]+)$/.exec(line) ?? [];
    const hash = path === undefined ? undefined : hashes.get(path);
    if (path === undefined || hash === undefined) continue;
    const isExecutable = (Number.parseInt(mode ?? '0', 8) & 0o100) !== 0;
    digests.set(path, { sha256: hash, isExecutable, bytes: Number(size) });
  }
  return digests;
}
