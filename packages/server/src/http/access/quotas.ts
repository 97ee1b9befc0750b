import { LachesisError } from '@lachesis/protocol';
import type { Principal } from './principal.ts';

/** What one token may use. */
export interface QuotaLimits {
  requestsPerSecond: number;
  bytesPerSecond: number;
  /** Requests under way at once. */
  openRequests: number;
  /** Event streams open at once. */
  openStreams: number;
}

export type QuotaKind = keyof QuotaLimits;

/** So many times what one token may is what all tokens of its tenant may together. */
const TENANT_TIMES = 4;
/** What was not used is saved up for so long: work comes in waves. */
const SAVED_SECONDS = 10;
/** Accounts of who is gone are dropped when there are more than this. */
const MOST_ACCOUNTS = 10_000;

export interface QuotasOptions {
  limits: QuotaLimits;
  monotonic?: () => number;
  /** Told of every refusal. */
  onRefused?: (kind: QuotaKind) => void;
}

/** One request inside the limits of its token and tenant. */
export interface Visit {
  /** Counts what it sent; too much is refused with the next request. */
  charge(bytes: number): void;
  leave(): void;
}

interface Account {
  name: string;
  limits: QuotaLimits;
  /** What is left of requests and bytes, and when that was. */
  requests: number;
  bytes: number;
  at: number;
  openRequests: number;
  openStreams: number;
}

/** Limits per token and per tenant. Callers without a token are one tenant. */
export class Quotas {
  readonly #limits: QuotaLimits;
  readonly #monotonic: () => number;
  readonly #onRefused: (kind: QuotaKind) => void;
  readonly #accounts = new Map<string, Account>();

  constructor({ limits, monotonic = () => performance.now(), onRefused = () => undefined }: QuotasOptions) {
    this.#limits = limits;
    this.#monotonic = monotonic;
    this.#onRefused = onRefused;
  }

  /** Throws 429 with the time to come back. */
  enter({ tenantId, tokenId }: Pick<Principal, 'tenantId' | 'tokenId'>, { isStream = false } = {}): Visit {
    const now = this.#monotonic();
    const accounts = [this.#open(`tenant ${tenantId}`, now, TENANT_TIMES)];
    if (tokenId !== null) accounts.push(this.#open(`token ${tokenId}`, now, 1));
    for (const account of accounts) {
      const kind = findExceeded(account, isStream);
      if (kind === undefined) continue;
      this.#onRefused(kind);
      throw refuse(account, kind);
    }
    for (const account of accounts) {
      account.requests -= 1;
      account.openRequests += 1;
      if (isStream) account.openStreams += 1;
    }
    let isOpen = true;
    return {
      charge: (bytes) => {
        for (const account of accounts) account.bytes -= bytes;
      },
      leave: () => {
        if (!isOpen) return;
        isOpen = false;
        for (const account of accounts) {
          account.openRequests -= 1;
          if (isStream) account.openStreams -= 1;
        }
      },
    };
  }

  #open(name: string, now: number, times: number): Account {
    let account = this.#accounts.get(name);
    if (account === undefined) {
      if (this.#accounts.size >= MOST_ACCOUNTS) this.#dropIdle(now);
      const { requestsPerSecond, bytesPerSecond, openRequests, openStreams } = this.#limits;
      const limits = {
        requestsPerSecond: requestsPerSecond * times,
        bytesPerSecond: bytesPerSecond * times,
        openRequests: openRequests * times,
        openStreams: openStreams * times,
      };
      const [requests, bytes] = [limits.requestsPerSecond * SAVED_SECONDS, limits.bytesPerSecond * SAVED_SECONDS];
      account = { name, limits, requests, bytes, at: now, openRequests: 0, openStreams: 0 };
      this.#accounts.set(name, account);
      return account;
    }
    const seconds = (now - account.at) / 1_000;
    const { requestsPerSecond, bytesPerSecond } = account.limits;
    account.requests = Math.min(requestsPerSecond * SAVED_SECONDS, account.requests + seconds * requestsPerSecond);
    account.bytes = Math.min(bytesPerSecond * SAVED_SECONDS, account.bytes + seconds * bytesPerSecond);
    account.at = now;
    return account;
  }

  #dropIdle(now: number): void {
    for (const [name, { openRequests, at }] of this.#accounts) {
      if (openRequests === 0 && now - at > SAVED_SECONDS * 1_000) this.#accounts.delete(name);
    }
  }
}

function findExceeded(account: Account, isStream: boolean): QuotaKind | undefined {
  if (account.requests < 1) return 'requestsPerSecond';
  if (account.bytes <= 0) return 'bytesPerSecond';
  if (account.openRequests >= account.limits.openRequests) return 'openRequests';
  return isStream && account.openStreams >= account.limits.openStreams ? 'openStreams' : undefined;
}

const WORDS: Readonly<Record<QuotaKind, { what: string; variable: string }>> = {
  requestsPerSecond: { what: 'requests a second', variable: 'LACHESIS_REQUESTS_PER_SECOND' },
  bytesPerSecond: { what: 'bytes a second', variable: 'LACHESIS_BYTES_PER_SECOND' },
  openRequests: { what: 'requests at once', variable: 'LACHESIS_OPEN_REQUESTS' },
  openStreams: { what: 'event streams at once', variable: 'LACHESIS_OPEN_STREAMS' },
};

function refuse(account: Account, kind: QuotaKind): LachesisError {
  const { limits, requests, bytes, name } = account;
  const { what, variable } = WORDS[kind];
  const waits: Record<QuotaKind, number> = {
    requestsPerSecond: (1 - requests) / limits.requestsPerSecond,
    bytesPerSecond: -bytes / limits.bytesPerSecond,
    openRequests: 1,
    openStreams: 5,
  };
  return new LachesisError({
    code: 'back-pressure',
    message: `${name} is at its limit of ${limits[kind]} ${what}`,
    hint: `Come back after Retry-After. ${variable} of the server sets what a token may; a tenant may ${TENANT_TIMES} times that.`,
    retryAfterSeconds: Math.max(1, Math.ceil(waits[kind])),
  });
}
