import type { Sandbox } from '../../sandbox/sandbox.ts';
import { SandboxError } from '../../sandbox/sandbox-error.ts';

/** The rollout's sandbox in the hands of the agent. */
export interface LentSandbox {
  /** The same one each time. */
  get(): Promise<Sandbox>;
  /**
   * What the agent started is ended, and what it was given does nothing any more, so that nothing of the agent runs beside the
   * grade. Rejects where something could not be ended: such a sandbox grades nothing.
   */
  takeBack(): Promise<void>;
}

export function lendSandbox(get: () => Promise<Sandbox>): LentSandbox {
  let lent: Promise<Sandbox> | undefined;
  let isOver = false;
  const guard = <T>(work: () => Promise<T>): Promise<T> =>
    isOver ? Promise.reject(new SandboxError({ kind: 'destroyed', reason: OVER })) : work();
  return {
    get: () =>
      guard(() => {
        lent ??= get().then((sandbox): Sandbox => {
          const { id, isTrusted, workdir, network } = sandbox;
          return {
            ...{ id, isTrusted, workdir, network },
            exec: (command, options) => guard(() => sandbox.exec(command, options)),
            readFile: (path) => guard(() => sandbox.readFile(path)),
            writeFile: (path, data) => guard(() => sandbox.writeFile(path, data)),
            listFiles: (path) => guard(() => sandbox.listFiles(path)),
            removeFile: (path) => guard(() => sandbox.removeFile(path)),
            diff: (options) => guard(() => sandbox.diff(options)),
            endCommands: () => guard(() => sandbox.endCommands()),
            destroy: () => guard(() => sandbox.destroy()),
          };
        });
        return lent;
      }),
    async takeBack() {
      isOver = true;
      if (lent === undefined) return;
      // One that could not be made was told to whoever asked for it.
      const [settled] = await Promise.allSettled([lent]);
      if (settled.status === 'fulfilled') await (await get()).endCommands();
    },
  };
}

const OVER = 'The agent’s part of the rollout is over, and its tools are not run any more.';
