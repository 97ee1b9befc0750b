/** Takes exact numbers of bytes from chunks of any size. */
export interface ByteReader {
  /** The next `length` bytes, or undefined when the source ends before. */
  read(length: number): Promise<Uint8Array | undefined>;
  /** Hands on the next `length` bytes piece by piece. False when the source ends before. */
  pass(length: number, to: (piece: Uint8Array) => Promise<void> | void): Promise<boolean>;
}

export function createByteReader(chunks: AsyncIterable<Uint8Array>): ByteReader {
  const source = chunks[Symbol.asyncIterator]();
  let chunk: Uint8Array = new Uint8Array(0);

  /** Up to `most` bytes, at least one, or undefined at the end. */
  async function take(most: number): Promise<Uint8Array | undefined> {
    while (chunk.byteLength === 0) {
      const next = await source.next();
      if (next.done === true) return undefined;
      chunk = next.value;
    }
    const piece = chunk.subarray(0, most);
    chunk = chunk.subarray(piece.byteLength);
    return piece;
  }

  async function pass(length: number, to: (piece: Uint8Array) => Promise<void> | void): Promise<boolean> {
    for (let left = length; left > 0;) {
      const piece = await take(left);
      if (piece === undefined) return false;
      left -= piece.byteLength;
      await to(piece);
    }
    return true;
  }

  return {
    pass,
    read: async (length) => {
      const whole = new Uint8Array(length);
      let filled = 0;
      const complete = await pass(length, (piece) => {
        whole.set(piece, filled);
        filled += piece.byteLength;
      });
      return complete ? whole : undefined;
    },
  };
}
