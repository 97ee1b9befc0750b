import { Worker } from 'node:worker_threads';

const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { stripTypeScriptTypes } = require('node:module');
parentPort.postMessage(stripTypeScriptTypes(workerData));
`;

/** A file of a small task; one that is longer was made to keep a parser busy. */
const MAX_CHARACTERS = 64 * 1024;
const MAX_MS = 20_000;

/**
 * JavaScript from TypeScript, or undefined where it cannot be. The text is an agent's, and a text of many brackets breaks the
 * parser for every text after it: so each has a thread, and with it a parser, of its own.
 */
export async function stripTypes(text: string): Promise<string | undefined> {
  if (text.length > MAX_CHARACTERS) return undefined;
  const worker = new Worker(PROGRAM, {
    eval: true,
    workerData: text,
    stdout: true,
    stderr: true,
    env: {},
    execArgv: [],
  });
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const timer = setTimeout(() => resolve(undefined), MAX_MS);
  worker.once('message', (stripped: string) => resolve(stripped));
  worker.once('error', () => resolve(undefined));
  worker.once('exit', () => resolve(undefined));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
