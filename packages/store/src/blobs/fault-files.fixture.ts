import { dirname } from 'node:path';
import type { FileCalls } from './file-calls.ts';

/** Stands for the death of the process: nothing runs after it, also no cleaning up. */
export class CrashError extends Error {}

export interface FaultPlan {
  /** Which call fails, from 1; none when it is beyond the last. */
  failAt: number;
  /** What the failing call throws; a CrashError makes every later call throw too. */
  createError: () => Error;
  /** Whether the failing call takes effect before it fails, as when the answer is lost. */
  takesEffect: boolean;
}

/** Passes calls on and fails the Nth. `count` tells how many were made. */
export function failNthCall(files: FileCalls, plan: FaultPlan): { files: FileCalls; count: () => number } {
  let count = 0;
  let isDead = false;
  const failing = Object.fromEntries(
    Object.entries(files).map(([name, perform]) => [
      name,
      async (...args: unknown[]): Promise<unknown> => {
        if (isDead) throw new CrashError('the process is dead');
        count += 1;
        const call = perform as (...callArgs: unknown[]) => Promise<unknown>;
        if (count !== plan.failAt) return await call(...args);
        if (plan.takesEffect) await call(...args);
        const error = plan.createError();
        isDead = error instanceof CrashError;
        throw error;
      },
    ]),
  ) as unknown as FileCalls;
  return { files: failing, count: () => count };
}

interface Inode {
  bytes: Uint8Array;
  /** What a power cut leaves of the bytes. */
  durableBytes: Uint8Array;
  modifiedAtMs: number;
}

/** Files in memory that forget at a power cut what was not synced: bytes of a file, and names in a folder. */
export class VolatileFiles {
  nowMs = 1_000;
  #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  readonly #open = new Map<number, { path: string; inode: Inode | undefined }>();
  #lastDescriptor = 0;

  readonly calls: FileCalls = {
    makeDirectory: async () => undefined,
    openNew: async (path) => {
      if (this.#names.has(path)) throw Object.assign(new Error('taken'), { code: 'EEXIST' });
      const empty = new Uint8Array();
      const inode = { bytes: empty, durableBytes: empty, modifiedAtMs: this.nowMs };
      this.#names.set(path, inode);
      return this.#openDescriptor(path, inode);
    },
    openDirectory: async (path) => this.#openDescriptor(path, undefined),
    // At most seven bytes a call, so that a writer that does not go on is seen.
    write: async (descriptor, bytes, offset) => {
      const inode = this.#open.get(descriptor)?.inode;
      if (inode === undefined) throw new Error('not open');
      const chunk = bytes.subarray(offset, offset + 7);
      inode.bytes = Buffer.concat([inode.bytes, chunk]);
      inode.modifiedAtMs = this.nowMs;
      return chunk.byteLength;
    },
    sync: async (descriptor) => {
      const entry = this.#open.get(descriptor);
      if (entry === undefined) throw new Error('not open');
      if (entry.inode !== undefined) entry.inode.durableBytes = entry.inode.bytes;
      else this.#syncNames(entry.path);
    },
    close: async (descriptor) => void this.#open.delete(descriptor),
    rename: async (from, to) => {
      this.#names.set(to, this.#find(from));
      this.#names.delete(from);
    },
    link: async (from, to) => {
      if (this.#names.has(to)) throw Object.assign(new Error('taken'), { code: 'EEXIST' });
      this.#names.set(to, this.#find(from));
    },
    remove: async (path) => {
      this.#find(path);
      this.#names.delete(path);
    },
    read: async (path) => this.#find(path).bytes,
    status: async (path) => {
      const { bytes, modifiedAtMs } = this.#find(path);
      return { bytes: bytes.byteLength, modifiedAtMs };
    },
    listDirectory: async (path) => [
      ...new Set(
        [...this.#names.keys()]
          .filter((name) => name.startsWith(`${path}/`))
          .map((name) => name.slice(path.length + 1).split('/')[0] ?? ''),
      ),
    ],
  };

  get openCount(): number {
    return this.#open.size;
  }

  get paths(): string[] {
    return [...this.#names.keys()];
  }

  cutPower(): void {
    this.#names = new Map(this.#durableNames);
    for (const inode of this.#names.values()) inode.bytes = inode.durableBytes;
    this.#open.clear();
  }

  /** Flips a bit, as a bad disk does. */
  damage(path: string): void {
    const inode = this.#find(path);
    inode.bytes = inode.bytes.map((byte, index) => (index === 0 ? byte ^ 1 : byte));
  }

  #openDescriptor(path: string, inode: Inode | undefined): number {
    this.#lastDescriptor += 1;
    this.#open.set(this.#lastDescriptor, { path, inode });
    return this.#lastDescriptor;
  }

  #syncNames(directory: string): void {
    for (const name of this.#durableNames.keys()) {
      if (dirname(name) === directory && !this.#names.has(name)) this.#durableNames.delete(name);
    }
    for (const [name, inode] of this.#names) if (dirname(name) === directory) this.#durableNames.set(name, inode);
  }

  #find(path: string): Inode {
    const inode = this.#names.get(path);
    if (inode === undefined) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
    return inode;
  }
}
