import { readTarHeader, TAR_BLOCK_BYTES, writeTarHeader } from '@lachesis/protocol/codec';

/** GNU's entry for a name that does not fit into a header; it stands before the entry it names. */
const LONG_NAME = 'L';
const LONGEST_NAME = 100;
const KINDS: Readonly<Record<string, TarEntry['kind']>> = { '0': 'file', '5': 'folder', '2': 'link' };

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
  for (let start = 0; start + TAR_BLOCK_BYTES <= archive.length;) {
    const header = readHeader(archive.subarray(start, start + TAR_BLOCK_BYTES));
    if (header === undefined) return;
    const content = archive.subarray(start + TAR_BLOCK_BYTES, start + TAR_BLOCK_BYTES + header.size);
    if (content.length < header.size) return;
    start += TAR_BLOCK_BYTES + Math.ceil(header.size / TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES;
    if (header.type === LONG_NAME) {
      longName = content.toString('utf8').split('\0', 1)[0];
      continue;
    }
    const kind = KINDS[header.type] ?? 'other';
    const name = longName ?? header.name;
    longName = undefined;
    yield {
      path: name.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, ''),
      kind,
      mode: header.mode,
      content: kind === 'file' ? content : Buffer.alloc(0),
      target: kind === 'link' ? header.linkName : '',
    };
  }
}

/** Undefined at the end, and where the rest is no archive. */
function readHeader(block: Buffer): ReturnType<typeof readTarHeader> {
  try {
    return readTarHeader(block);
  } catch {
    // Whoever wrote it may be killed in the middle: what came before counts.
    return undefined;
  }
}

export interface TarFile {
  readonly path: string;
  readonly content: Uint8Array;
  readonly isExecutable: boolean;
}

/** An archive of regular files, for `tar -x`. */
export function writeTar(files: Iterable<TarFile>): Buffer {
  const parts: Uint8Array[] = [];
  const add = (name: string, type: string, mode: number, content: Uint8Array): void => {
    const padding = (TAR_BLOCK_BYTES - (content.length % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES;
    parts.push(writeTarHeader({ name, type, mode, size: content.length }), content, new Uint8Array(padding));
  };
  for (const { path, content, isExecutable } of files) {
    const name = `./${path}`;
    if (Buffer.byteLength(name) >= LONGEST_NAME) add('././@LongLink', LONG_NAME, 0o644, Buffer.from(`${name}\0`));
    add(Buffer.byteLength(name) >= LONGEST_NAME ? './long' : name, '0', isExecutable ? 0o755 : 0o644, content);
  }
  parts.push(new Uint8Array(2 * TAR_BLOCK_BYTES));
  return Buffer.concat(parts);
}
