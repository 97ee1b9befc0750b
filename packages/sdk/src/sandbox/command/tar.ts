const BLOCK = 512;
/** GNU's entry for a name that does not fit into a header; it stands before the entry it names. */
const LONG_NAME = 'L';
const LONGEST_NAME = 100;
const KINDS: Readonly<Record<string, TarEntry['kind']>> = { '0': 'file', '\0': 'file', '5': 'folder', '2': 'link' };

export interface TarEntry {
  /** Without `./` before and slashes behind. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** The nine bits of permission. */
  readonly mode: number;
  /** Of a file; a view into the archive. */
  readonly content: Buffer;
  /** Of a link. */
  readonly target: string;
}

/** Entries of an archive as `tar --format=ustar` or `--format=gnu` writes it. One that is cut gives what was whole. */
export function* readTar(archive: Buffer): Generator<TarEntry> {
  let longName: string | undefined;
  for (let start = 0; start + BLOCK <= archive.length;) {
    const header = archive.subarray(start, start + BLOCK);
    if (header[0] === 0) return;
    const size = readOctal(header, 124, 12);
    const content = archive.subarray(start + BLOCK, start + BLOCK + size);
    // A size that is no number would never let the loop end.
    if (!(size >= 0) || content.length < size) return;
    start += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const letter = String.fromCharCode(header[156] ?? 0);
    if (letter === LONG_NAME) {
      longName = readText(content, 0, content.length);
      continue;
    }
    const kind = KINDS[letter] ?? 'other';
    // The prefix is a name in ustar only; GNU keeps times there.
    const isUstar = header.toString('latin1', 257, 263) === 'ustar\0';
    const parts = [isUstar ? readText(header, 345, 155) : '', readText(header, 0, LONGEST_NAME)];
    const name = longName ?? parts.filter((part) => part !== '').join('/');
    longName = undefined;
    yield {
      path: name.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, ''),
      kind,
      mode: readOctal(header, 100, 8) & 0o777,
      content: kind === 'file' ? content : Buffer.alloc(0),
      target: kind === 'link' ? readText(header, 157, 100) : '',
    };
  }
}

export interface TarFile {
  readonly path: string;
  readonly content: Uint8Array;
  readonly isExecutable: boolean;
}

/** An archive of regular files, for `tar -x`. */
export function writeTar(files: Iterable<TarFile>): Buffer {
  const parts: Buffer[] = [];
  const add = (name: string, letter: string, mode: number, content: Uint8Array): void => {
    const header = Buffer.alloc(BLOCK);
    header.write(name, 0, LONGEST_NAME, 'utf8');
    header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100, 'latin1');
    header.write('0000000\0'.repeat(2), 108, 'latin1');
    header.write(`${content.length.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0`, 124, 'latin1');
    header.write(`        ${letter}`, 148, 'latin1');
    header.write('ustar  \0', 257, 'latin1');
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    parts.push(header, Buffer.from(content.buffer, content.byteOffset, content.length), padding);
  };
  for (const { path, content, isExecutable } of files) {
    const name = `./${path}`;
    if (Buffer.byteLength(name) >= LONGEST_NAME) add('././@LongLink', LONG_NAME, 0o644, Buffer.from(`${name}\0`));
    add(Buffer.byteLength(name) >= LONGEST_NAME ? './long' : name, '0', isExecutable ? 0o755 : 0o644, content);
  }
  parts.push(Buffer.alloc(2 * BLOCK));
  return Buffer.concat(parts);
}

function readText(bytes: Buffer, start: number, length: number): string {
  const field = bytes.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

const readOctal = (header: Buffer, start: number, length: number): number =>
  Number.parseInt(readText(header, start, length).trim() || '0', 8);
