import type { Launcher } from './launcher.ts';

export interface RememberedCommands {
  readonly launcher: Launcher;
  /** Ends those that run, and what the others left. */
  endCommands(): Promise<void>;
}

/** The same launcher, which knows what runs. A command that is begun while the others are ended is ended as well. */
export function rememberCommands(launcher: Launcher): RememberedCommands {
  const running = new Map<AbortController, Promise<unknown>>();
  return {
    launcher: {
      ...launcher,
      launch: async (argv, options) => {
        const end = new AbortController();
        const signal = options.signal === undefined ? end.signal : AbortSignal.any([options.signal, end.signal]);
        const work = launcher.launch(argv, { ...options, signal });
        running.set(end, work);
        try {
          return await work;
        } finally {
          running.delete(end);
        }
      },
    },
    async endCommands() {
      while (running.size > 0) {
        for (const end of running.keys()) end.abort();
        // How each of them ended is told to whoever runs it.
        await Promise.allSettled(running.values());
      }
      await launcher.endLeftovers();
    },
  };
}
