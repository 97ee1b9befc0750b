const marker = Symbol.for('lachesis.server.improve-lost');

/** Another process brings the improvement on; what this one did not write down is not lost, the other does it. */
export class ImproveLostError extends Error {
  readonly improvementId: string;

  constructor({ improvementId, reason, cause }: { improvementId: string; reason: string; cause?: unknown }) {
    super(`Improvement ${improvementId}: ${reason}. \`lachesis improve status\` shows where it stands.`, { cause });
    this.name = 'ImproveLostError';
    this.improvementId = improvementId;
    Object.defineProperty(this, marker, { value: true });
  }

  static isInstance(error: unknown): error is ImproveLostError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}
