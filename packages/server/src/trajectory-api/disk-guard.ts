import { diskFullError } from '../http/error-reply.ts';

export interface DiskGuardOptions {
  /** The part of the disk that must stay free. */
  reserve: number;
  /** Of the place of the payloads. */
  readFree: () => Promise<{ freeBytes: number; totalBytes: number }>;
  monotonic?: () => number;
}

/** Free space is asked for at most this often: intake resumes soon after somebody made room. */
const CHECK_MS = 1_000;

/** Closes intake before the disk is full, so that what is already acknowledged can still be read, moved and finished. */
export class DiskGuard {
  readonly #options: DiskGuardOptions;
  readonly #monotonic: () => number;
  #isLow = false;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checking: Promise<void> | null = null;

  constructor(options: DiskGuardOptions) {
    this.#options = options;
    this.#monotonic = options.monotonic ?? (() => performance.now());
  }

  get isLow(): boolean {
    return this.#isLow;
  }

  /** Throws the disk-full refusal while space is short. */
  async check(): Promise<void> {
    if (this.#monotonic() - this.#checkedAt > CHECK_MS) {
      this.#checking ??= this.#look().finally(() => {
        this.#checking = null;
      });
      await this.#checking;
    }
    if (this.#isLow) throw diskFullError();
  }

  async #look(): Promise<void> {
    const { readFree, reserve } = this.#options;
    const { freeBytes, totalBytes } = await readFree();
    this.#checkedAt = this.#monotonic();
    this.#isLow = freeBytes < totalBytes * reserve;
  }
}
