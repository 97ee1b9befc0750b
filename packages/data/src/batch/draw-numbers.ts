import { createHash } from 'node:crypto';

/**
 * Numbers for the draw of one item: the same for the same seed and index, whichever worker draws and however often. A hash
 * and no generator: neighbouring indexes have nothing in common from the first number on.
 */
export function drawNumbers(seed: number, index: number): () => number {
  let count = 0;
  return () => {
    const digest = createHash('sha256').update(`${seed}/${index}/${count}`).digest();
    count += 1;
    return digest.readUInt32LE(0) / 4_294_967_296;
  };
}
