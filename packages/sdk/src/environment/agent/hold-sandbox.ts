import type { Sandbox } from '../../sandbox/sandbox.ts';
import { EnvironmentError } from '../environment-error.ts';
import { watchSandbox } from './watch-sandbox.ts';

/** A sandbox that is made when it is first asked for or a little before, and gone after `release`, however the rollout ended. */
export interface HeldSandbox {
  /** The same one each time. Throws after `release`. */
  get(): Promise<Sandbox>;
  /** Begins to make it soon, if there is room, so that whoever asks need not wait as long. What goes wrong is told to them. */
  begin(): void;
  /** Whether somebody asked for it. */
  readonly isUsed: boolean;
  /** May be called twice. Waits for a sandbox that is just being made. What cannot be destroyed is told and not thrown. */
  release(): Promise<void>;
}

/** A reply that is there sooner comes from no model, and may need no sandbox at all. */
const BEGIN_AFTER_MS = 20;

export interface HoldSandboxOptions {
  readonly create: () => Promise<Sandbox>;
  /** Where there is not room for all: what these give is called when the sandbox is gone. */
  readonly room?:
    | { readonly wait: () => Promise<() => void>; readonly takeFree: () => (() => void) | undefined }
    | undefined;
  /** Puts the task into it before anybody else sees it. */
  readonly prepare?: ((sandbox: Sandbox) => Promise<void>) | undefined;
  /** Told when it cannot be made or does not work any more. */
  readonly onBroken?: ((error: unknown) => void) | undefined;
  readonly log: (text: string) => void;
}

export function holdSandbox({ create, room, prepare, onBroken = () => {}, log }: HoldSandboxOptions): HeldSandbox {
  let made: Promise<Sandbox> | undefined;
  let asked: Promise<Sandbox> | undefined;
  let released: Promise<void> | undefined;
  let leave: (() => void) | undefined;
  let beginning: NodeJS.Timeout | undefined;

  const make = async (): Promise<Sandbox> => {
    leave ??= await room?.wait();
    const sandbox = await create();
    try {
      await prepare?.(sandbox);
      return watchSandbox(sandbox, onBroken);
    } catch (error) {
      await destroy(sandbox);
      throw error;
    }
  };
  const destroy = async (sandbox: Sandbox): Promise<void> => {
    try {
      await sandbox.destroy();
    } catch (error) {
      // The reaper of its provider ends it; a grade that is there is not thrown away for it.
      log(
        `the sandbox ${sandbox.id} could not be destroyed: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  };
  const end = async (): Promise<void> => {
    clearTimeout(beginning);
    if (made === undefined) return;
    const [settled] = await Promise.allSettled([made]);
    if (settled.status === 'fulfilled') await destroy(settled.value);
    leave?.();
  };

  return {
    get: async () => {
      if (released !== undefined) {
        throw new EnvironmentError({
          kind: 'bad-definition',
          reason: 'The sandbox of a rollout was asked for after the rollout had ended.',
          hint: 'Await everything in computeReward before it returns.',
        });
      }
      made ??= make();
      asked ??= made.catch((error: unknown) => {
        onBroken(error);
        throw error;
      });
      return asked;
    },
    begin: () => {
      beginning ??= setTimeout(() => {
        if (made !== undefined || released !== undefined) return;
        leave = room?.takeFree();
        if (room !== undefined && leave === undefined) return;
        made = make();
        made.catch(() => undefined);
      }, BEGIN_AFTER_MS);
    },
    get isUsed() {
      return asked !== undefined;
    },
    release: async () => {
      released ??= end();
      return released;
    },
  };
}
