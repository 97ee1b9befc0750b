import { constants, crc32, deflateRawSync } from 'node:zlib';

const MIB = 1024 ** 2;
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const LAST_BLOCK = Buffer.from([3, 0]);

/** A valid gzip of spaces, about 1,000 times smaller than what it inflates to. Made from one block, so that it is quick. */
export function makeGzipBomb(inflatedMegabytes: number): Buffer {
  const spaces = Buffer.alloc(MIB, ' ');
  const block = deflateRawSync(spaces, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const parts: Buffer[] = [HEADER];
  let checksum = 0;
  for (let made = 0; made < inflatedMegabytes; made += 1) {
    parts.push(block);
    checksum = crc32(spaces, checksum);
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE((inflatedMegabytes * MIB) % 2 ** 32, 4);
  return Buffer.concat([...parts, LAST_BLOCK, trailer]);
}
