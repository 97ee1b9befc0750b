/** Gives ids that are unique and sort by when they were made. */
export interface IdSource {
  /** A new UUIDv7 in lower case, greater than every one this source gave before. */
  next(): string;
}

export interface IdSourceOptions {
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Fills the array with random bytes. */
  random?: (bytes: Uint8Array<ArrayBuffer>) => void;
}

/** Random bytes of one id, and how many ids are drawn at once: a call of the generator costs more than its bytes. */
const ID_BYTES = 10;
const IDS_AT_ONCE = 64;

const MAX_COUNTER = 0xfff;

/** A fresh millisecond starts its counter in the lower half, so at least 2,048 ids fit before the time must be borrowed. */
const START_MASK = 0x7ff;

/**
 * Makes UUIDv7 ids that sort by creation: 48 bits of time, a 12-bit counter, 62 random bits. When the counter is full,
 * or the clock steps back, the source stays on its own time and moves it forward by itself.
 */
export function createIdSource({
  now = Date.now,
  random = (bytes) => void crypto.getRandomValues(bytes),
}: IdSourceOptions = {}): IdSource {
  const pool = new Uint8Array(ID_BYTES * IDS_AT_ONCE);
  let used = pool.length;
  let time = -1;
  let counter = 0;

  function next(): string {
    if (used === pool.length) {
      random(pool);
      used = 0;
    }
    const randomBytes = pool.subarray(used, used + ID_BYTES);
    used += ID_BYTES;
    const clock = Math.floor(now());
    if (clock > time) {
      time = clock;
      counter = ((randomBytes[8]! << 8) | randomBytes[9]!) & START_MASK;
    } else if (counter < MAX_COUNTER) {
      counter += 1;
    } else {
      time += 1;
      counter = 0;
    }
    const timeHex = time.toString(16).padStart(12, '0');
    const counterHex = counter.toString(16).padStart(3, '0');
    const variant = byteHex((randomBytes[0]! & 0x3f) | 0x80);
    let node = '';
    for (let index = 2; index < 8; index += 1) node += byteHex(randomBytes[index]!);
    return `${timeHex.slice(0, 8)}-${timeHex.slice(8)}-7${counterHex}-${variant}${byteHex(randomBytes[1]!)}-${node}`;
  }

  return { next };
}

const byteHex = (byte: number): string => byte.toString(16).padStart(2, '0');
