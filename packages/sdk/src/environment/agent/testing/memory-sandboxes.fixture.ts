import { readTar } from '../../../sandbox/command/tar.ts';
import type { ExecResult, FileChange, Sandbox, SandboxProvider } from '../../../sandbox/sandbox.ts';

/** What a command prints, or also how it ends. */
export type RunCommand = (
  command: string,
  files: Map<string, string>,
  input: string,
) => string | { output: string; exitCode: number };

export interface MemorySandboxes extends SandboxProvider {
  readonly created: MemorySandbox[];
  readonly alive: () => number;
}

export type MemorySandbox = Sandbox & { readonly files: Map<string, string>; readonly label: string | undefined };

const ENDED = { exitCode: 0, signal: null, stderr: '', isTruncated: false, end: 'exited' as const, durationMs: 1 };

/** Sandboxes that are a map of files: for tests of what is done with sandboxes, not of sandboxes. */
export function createMemorySandboxes(run: RunCommand): MemorySandboxes {
  const created: MemorySandbox[] = [];
  const living = new Set<string>();
  return {
    name: 'memory',
    created,
    alive: () => living.size,
    create: async ({ label }) => {
      const sandbox = createMemorySandbox(`memory-${created.length + 1}`, label, run, (id) => living.delete(id));
      living.add(sandbox.id);
      created.push(sandbox);
      return sandbox;
    },
    reap: async () => 0,
    close: async () => living.clear(),
  };
}

function createMemorySandbox(
  id: string,
  label: string | undefined,
  run: RunCommand,
  onDestroy: (id: string) => void,
): MemorySandbox {
  const files = new Map<string, string>();
  const place = (path: string): string => path.replace(/^\/work\//, '').replace(/^\.\//, '');
  const text = (data: string | Uint8Array): string =>
    typeof data === 'string' ? data : new TextDecoder().decode(data);
  return {
    id,
    label,
    files,
    isTrusted: false,
    workdir: '/work',
    exec: async (command, options): Promise<ExecResult> => {
      const { input = '' } = options ?? {};
      if (typeof input !== 'string' && !(input instanceof Uint8Array))
        throw new Error('streams are not for these tests');
      if (command[0] === 'tar') {
        for (const { path, content } of readTar(Buffer.from(input))) files.set(path, content.toString('utf8'));
        return { ...ENDED, output: '', stdout: '' };
      }
      const given = run(typeof command === 'string' ? command : command.join(' '), files, text(input));
      const { output, exitCode } = typeof given === 'string' ? { output: given, exitCode: 0 } : given;
      options?.onOutput?.({ stream: 'stdout', text: output });
      return { ...ENDED, exitCode, output, stdout: output };
    },
    readFile: async (path) => {
      const found = files.get(place(path));
      if (found === undefined) throw new Error(`${path} is not there`);
      return new TextEncoder().encode(found);
    },
    writeFile: async (path, data) => void files.set(place(path), text(data)),
    listFiles: async () =>
      [...files].map(([name, content]) => ({ name, kind: 'file' as const, bytes: content.length })),
    removeFile: async (path) => void files.delete(place(path)),
    diff: async (): Promise<FileChange[]> =>
      [...files].map(([path, content]) => ({
        path,
        change: 'added' as const,
        content: new TextEncoder().encode(content),
      })),
    endCommands: async () => undefined,
    destroy: async () => onDestroy(id),
  };
}
