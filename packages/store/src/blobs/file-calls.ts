import * as fs from 'node:fs';
import * as fsPromises from 'node:fs/promises';
import { promisify } from 'node:util';

export interface FileStatus {
  bytes: number;
  modifiedAtMs: number;
}

/** The calls to the file system that blobs are made of; a test replaces them to fail the Nth one. */
export interface FileCalls {
  makeDirectory(path: string): Promise<void>;
  /** Opens a new file for writing; fails when it exists. */
  openNew(path: string): Promise<number>;
  /** Opens a folder, to sync it. */
  openDirectory(path: string): Promise<number>;
  /** Writes from `offset` and returns how many bytes were taken. */
  write(descriptor: number, bytes: Uint8Array, offset: number): Promise<number>;
  sync(descriptor: number): Promise<void>;
  close(descriptor: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** A second name for a file; fails when the name is taken. */
  link(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  read(path: string): Promise<Uint8Array>;
  status(path: string): Promise<FileStatus>;
  listDirectory(path: string): Promise<string[]>;
}

/** Only the owner reads payloads. */
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

const open = promisify(fs.open);
const write = promisify(fs.write);
const sync = promisify(fs.fsync);
const close = promisify(fs.close);

export const nodeFileCalls: FileCalls = {
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
