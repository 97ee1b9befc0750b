const marker = Symbol.for('lachesis.sdk.egress-error');

export interface EgressErrorOptions {
  /** The address without its query and without a password. */
  readonly address: string;
  /** What is wrong with it. */
  readonly reason: string;
  readonly cause?: unknown;
}

/** An address that may not be asked. */
export class EgressError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is EgressError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'EgressError';
  readonly [marker] = true;
  readonly address: string;
  readonly reason: string;
  readonly hint =
    'Name an http or https address on the public internet. A person can allow a host or a network with LACHESIS_EGRESS_ALLOW, such as rewards.lan:8003 or 10.1.0.0/16.';

  constructor({ address, reason, cause }: EgressErrorOptions) {
    super(`${address} may not be asked: ${reason}`, cause === undefined ? undefined : { cause });
    this.address = address;
    this.reason = reason;
  }
}
