/** The table of CRC-32C (Castagnoli), bit-reversed. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0x82f6_3b78 : value >>> 1;
  return value;
});

export function crc32c(bytes: Uint8Array): number {
  let value = 0xffff_ffff;
  for (let index = 0; index < bytes.length; index += 1) {
    value = TABLE[(value ^ bytes[index]!) & 0xff]! ^ (value >>> 8);
  }
  return (value ^ 0xffff_ffff) >>> 0;
}

/** As record files want it: rotated and moved, so that a checksum of data that holds checksums stays strong. */
export function maskedCrc32c(bytes: Uint8Array): number {
  const value = crc32c(bytes);
  return (((value >>> 15) | (value << 17)) + 0xa282_ead8) >>> 0;
}
