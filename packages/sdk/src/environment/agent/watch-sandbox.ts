import type { Sandbox } from '../../sandbox/sandbox.ts';
import { SandboxError, type SandboxErrorKind } from '../../sandbox/sandbox-error.ts';

/** Nobody inside asked for these: a rollout that goes on without its sandbox would be scored for what it could not do. */
const BROKEN: ReadonlySet<SandboxErrorKind> = new Set(['unavailable', 'failed', 'destroyed']);

const isBroken = (error: unknown): boolean => SandboxError.isInstance(error) && BROKEN.has(error.kind);

/** The same sandbox, which tells when it does not work any more. What it throws is thrown on. */
export function watchSandbox(sandbox: Sandbox, onBroken: (error: unknown) => void): Sandbox {
  const watch = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (isBroken(error)) onBroken(error);
      throw error;
    }
  };
  const { id, isTrusted, workdir, network } = sandbox;
  return {
    ...{ id, isTrusted, workdir, network },
    exec: (command, options) => watch(sandbox.exec(command, options)),
    readFile: (path) => watch(sandbox.readFile(path)),
    writeFile: (path, data) => watch(sandbox.writeFile(path, data)),
    listFiles: (path) => watch(sandbox.listFiles(path)),
    removeFile: (path) => watch(sandbox.removeFile(path)),
    diff: (options) => watch(sandbox.diff(options)),
    endCommands: () => watch(sandbox.endCommands()),
    destroy: () => sandbox.destroy(),
  };
}
