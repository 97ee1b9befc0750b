/** When environments of a strictly on-policy run may sample: while the trainer holds no batch and its newest weights are served. */
export interface Rounds {
  /** The weights of this version are served, and a batch is asked for. */
  open(policyVersion: number): void;
  /** A batch was taken. */
  close(): void;
  /** What was taken could not be used, and another batch is waited for. */
  reopen(): void;
  /** The name of the round; null while there is none. */
  readonly current: string | null;
}

/**
 * A name is the version and a count, so that a batch that brought no new weights is followed by another round all the same.
 * A process that takes over publishes under the next version, so names do not come again.
 */
export function createRounds(): Rounds {
  let version: number | undefined;
  let count = 0;
  let isOpen = false;
  const start = (): void => {
    count += 1;
    isOpen = true;
  };
  return {
    open(policyVersion) {
      version = policyVersion;
      start();
    },
    close: () => void (isOpen = false),
    reopen() {
      if (!isOpen && version !== undefined) start();
    },
    get current() {
      return isOpen ? `${version}.${count}` : null;
    },
  };
}
