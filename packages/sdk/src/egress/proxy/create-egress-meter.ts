/** How much one rollout may have of the network. */
export interface EgressQuotas {
  /** Requests in all, refused ones included. */
  readonly requests: number;
  /** Requests and tunnels at once. */
  readonly concurrent: number;
  readonly upBytes: number;
  readonly downBytes: number;
  /** How long one request or tunnel may take. */
  readonly requestMs: number;
}

const MEGABYTE = 1024 * 1024;

/** Enough to install packages and read pages; not enough to carry a data set away unseen. */
const DEFAULT_QUOTAS: EgressQuotas = {
  requests: 5_000,
  concurrent: 64,
  upBytes: 16 * MEGABYTE,
  downBytes: 512 * MEGABYTE,
  requestMs: 300_000,
};

/** Counts what a rollout uses. `begin`, `addUp` and `addDown` answer the quota that is used up, if one is. */
export interface EgressMeter {
  readonly quotas: EgressQuotas;
  readonly usage: { readonly requests: number; readonly upBytes: number; readonly downBytes: number };
  begin(): string | undefined;
  end(): void;
  addUp(bytes: number): string | undefined;
  addDown(bytes: number): string | undefined;
}

export function createEgressMeter(given: Partial<EgressQuotas> = {}): EgressMeter {
  const quotas = { ...DEFAULT_QUOTAS, ...given };
  for (const [name, value] of Object.entries(quotas)) {
    if (typeof value === 'number' && value > 0) continue;
    throw new Error(`The quota ${name} of the network is ${String(value)}. Give a number greater than 0.`);
  }
  const usage = { requests: 0, upBytes: 0, downBytes: 0 };
  let active = 0;
  return {
    quotas,
    usage,
    begin() {
      active += 1;
      usage.requests += 1;
      if (usage.requests > quotas.requests) return `more than ${quotas.requests} requests`;
      if (usage.upBytes > quotas.upBytes) return `more than ${quotas.upBytes} bytes sent`;
      if (usage.downBytes > quotas.downBytes) return `more than ${quotas.downBytes} bytes received`;
      return active > quotas.concurrent ? `more than ${quotas.concurrent} requests at once` : undefined;
    },
    end: () => void (active -= 1),
    addUp(bytes) {
      usage.upBytes += bytes;
      return usage.upBytes > quotas.upBytes ? `more than ${quotas.upBytes} bytes sent` : undefined;
    },
    addDown(bytes) {
      usage.downBytes += bytes;
      return usage.downBytes > quotas.downBytes ? `more than ${quotas.downBytes} bytes received` : undefined;
    },
  };
}
