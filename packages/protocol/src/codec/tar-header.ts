/** Headers and contents are padded to blocks of this size. */
export const TAR_BLOCK_BYTES = 512;

interface TarHeader {
  readonly name: string;
  readonly size: number;
  /** The nine bits of permission. */
  readonly mode: number;
  /** One character: `0` a file, `5` a directory, `2` a link, `x` and `g` extended headers, `L` a long name, the rest devices. */
  readonly type: string;
  /** What a link names. */
  readonly linkName: string;
}

/**
 * Reads one header block; undefined for the block of zeros that ends an archive. Throws a SyntaxError for one that is
 * broken. Bytes that are no UTF-8 become question marks unless `decode` says otherwise.
 */
export function readTarHeader(
  block: Uint8Array,
  decode: (bytes: Uint8Array) => string = decodeLoosely,
): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const text = (start: number, length: number): string => decode(cutAtZero(block.subarray(start, start + length)));
  const wanted = readNumber(block.subarray(148, 156));
  if (sumOf(block) !== wanted) throw new SyntaxError('has a header whose checksum is wrong');
  // The prefix is a name in ustar only; GNU keeps times there.
  const prefix = decodeLoosely(cutAtZero(block.subarray(257, 263))) === 'ustar' ? text(345, 155) : '';
  const name = text(0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: readNumber(block.subarray(124, 136)),
    mode: readNumber(block.subarray(100, 108)) & 0o777,
    type: block[156] === 0 ? '0' : String.fromCharCode(block[156]!),
    linkName: text(157, 100),
  };
}

/** Writes the header block of an entry, checksum and all. A name that is too long for it is cut: it wants an entry of type `L` before. */
export function writeTarHeader({
  name,
  size,
  mode = 0o644,
  type = '0',
  linkName = '',
  prefix,
}: Partial<TarHeader> & {
  name: string;
  size: number;
  /** Makes it ustar, GNU otherwise. */ prefix?: string;
}): Uint8Array {
  const block = new Uint8Array(TAR_BLOCK_BYTES);
  const write = (text: string, start: number, length = text.length): void =>
    void new TextEncoder().encodeInto(text, block.subarray(start, start + length));
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  write(name, 0, 100);
  write(`${octal(mode, 7)}${octal(0, 7)}${octal(0, 7)}${octal(size, 11)}${octal(0, 11)}`, 100);
  write(type, 156);
  write(linkName, 157, 100);
  write(prefix === undefined ? 'ustar  \0' : 'ustar\u000000', 257);
  write(prefix ?? '', 345, 155);
  write(`${octal(sumOf(block), 6)} `, 148);
  return block;
}

/** Text up to the first zero byte. */
function cutAtZero(field: Uint8Array): Uint8Array {
  const end = field.indexOf(0);
  return end === -1 ? field : field.subarray(0, end);
}

/** The checksum counts its own field as spaces. */
const sumOf = (block: Uint8Array): number =>
  block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);

/** Octal text, or, with the top bit set, a binary number as GNU tar writes it for sizes from 8 GiB. */
function readNumber(field: Uint8Array): number {
  if ((field[0]! & 0x80) !== 0) {
    const value = field.reduce((total, byte, at) => total * 256n + BigInt(at === 0 ? byte & 0x7f : byte), 0n);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new SyntaxError('has a size beyond any file');
    return Number(value);
  }
  const text = decodeLoosely(cutAtZero(field)).trim();
  if (!/^[0-7]*$/.test(text)) throw new SyntaxError('has a number that is not octal');
  return text === '' ? 0 : Number.parseInt(text, 8);
}

function decodeLoosely(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
