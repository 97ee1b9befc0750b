import * as fs from 'node:fs';
import * as fsPromises from 'node:fs/promises';
import { promisify } from 'node:util';

export interface FileStatus {
  bytes: number;
  modifiedAtMs: number;
}

/** The calls to the file system that blobs are made of; a test replaces them to fail the Nth one. */
export interface FileCalls {
  makeDirectory(path: string): void;
  /** Opens a new file for writing; fails when it exists. */
  openNew(path: string): number;
  /** Opens a folder, to sync it. */
  openDirectory(path: string): number;
  /** Writes from `offset` and returns how many bytes were taken. */
  write(descriptor: number, bytes: Uint8Array, offset: number): number;
  sync(descriptor: number): void;
  close(descriptor: number): void;
  rename(from: string, to: string): void;
  /** A second name for a file; fails when the name is taken. */
  link(from: string, to: string): void;
  remove(path: string): void;
  read(path: string): Uint8Array;
  status(path: string): FileStatus;
  listDirectory(path: string): string[];
}

/** The same calls without blocking the thread. */
export type AsyncFileCalls = {
  [Name in keyof FileCalls]: (...args: Parameters<FileCalls[Name]>) => Promise<ReturnType<FileCalls[Name]>>;
};

/** Only the owner reads payloads. */
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

export const nodeFileCalls: FileCalls = {
  makeDirectory: (path) => void fs.mkdirSync(path, { recursive: true, mode: DIRECTORY_MODE }),
  openNew: (path) => fs.openSync(path, 'wx', FILE_MODE),
  openDirectory: (path) => fs.openSync(path, 'r'),
  write: (descriptor, bytes, offset) => fs.writeSync(descriptor, bytes, offset),
  sync: (descriptor) => fs.fsyncSync(descriptor),
  close: (descriptor) => fs.closeSync(descriptor),
  rename: (from, to) => fs.renameSync(from, to),
  link: (from, to) => fs.linkSync(from, to),
  remove: (path) => fs.unlinkSync(path),
  read: (path) => fs.readFileSync(path),
  status: (path) => {
    const { size, mtimeMs } = fs.statSync(path);
    return { bytes: size, modifiedAtMs: mtimeMs };
  },
  listDirectory: (path) => fs.readdirSync(path),
};

const open = promisify(fs.open);
const write = promisify(fs.write);
const sync = promisify(fs.fsync);
const close = promisify(fs.close);

export const nodeAsyncFileCalls: AsyncFileCalls = {
  makeDirectory: async (path) => void (await fsPromises.mkdir(path, { recursive: true, mode: DIRECTORY_MODE })),
  openNew: (path) => open(path, 'wx', FILE_MODE),
  openDirectory: (path) => open(path, 'r'),
  write: async (descriptor, bytes, offset) => (await write(descriptor, bytes, offset)).bytesWritten,
  sync: (descriptor) => sync(descriptor),
  close: (descriptor) => close(descriptor),
  rename: (from, to) => fsPromises.rename(from, to),
  link: (from, to) => fsPromises.link(from, to),
  remove: (path) => fsPromises.unlink(path),
  read: (path) => fsPromises.readFile(path),
  status: async (path) => {
    const { size, mtimeMs } = await fsPromises.stat(path);
    return { bytes: size, modifiedAtMs: mtimeMs };
  },
  listDirectory: (path) => fsPromises.readdir(path),
};
