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
      const given = run(typeof command === 'string' ? command : command.join(' '), files, text(options?.input ?? ''));
      const { output, exitCode } = typeof given === 'string' ? { output: given, exitCode: 0 } : given;
      options?.onOutput?.({ stream: 'stdout', text: output });
      return {
        ...{ exitCode, signal: null, output, stdout: output, stderr: '', isTruncated: false },
        ...{ end: 'exited' as const, durationMs: 1 },
      };
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
    destroy: async () => onDestroy(id),
  };
}
