import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

import { runTool, type RunTool } from './run-tool.ts';

export interface FindUvOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly userHome?: string;
  readonly signal?: AbortSignal | undefined;
  readonly run?: RunTool;
}

/** A `uv` that runs: in the path, or where its installer and cargo put it. Undefined when there is none. */
export async function findUv(options: FindUvOptions = {}): Promise<string | undefined> {
  const { env = process.env, userHome = homedir(), run = runTool, signal } = options;
  const folders = [
    ...(env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
    join(userHome, '.local/bin'),
    join(userHome, '.cargo/bin'),
  ];
  for (const folder of folders) {
    const path = join(folder, 'uv');
    const { code, output } = await run({ command: path, args: ['--version'], timeoutMs: 20_000, signal });
    if (code === 0 && /^uv \d/m.test(output)) return path;
  }
  return undefined;
}
