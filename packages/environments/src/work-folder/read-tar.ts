import type { Snapshot, SnapshotEntry } from './take-snapshot.ts';

const BLOCK = 512;
const KINDS: Readonly<Record<string, SnapshotEntry['kind']>> = {
  '0': 'file',
  '\0': 'file',
  '5': 'folder',
  '2': 'link',
};

/** Entries of an archive in the format `ustar`, by their paths without `./`. An archive that is cut gives what was whole. */
export function readTar(archive: Buffer): Snapshot {
  const entries = new Map<string, SnapshotEntry>();
  for (let start = 0; start + BLOCK <= archive.length;) {
    const header = archive.subarray(start, start + BLOCK);
    if (header[0] === 0) break;
    const size = readOctal(header, 124, 12);
    const kind = KINDS[String.fromCharCode(header[156] ?? 0)] ?? 'other';
    const content = archive.subarray(start + BLOCK, start + BLOCK + size);
    if (content.length < size) break;
    const path = [readText(header, 345, 155), readText(header, 0, 100)].filter((part) => part !== '').join('/');
    entries.set(path.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, ''), {
      kind,
      mode: readOctal(header, 100, 8) & 0o777,
      ...(kind === 'file' ? { text: content.toString('utf8') } : {}),
      ...(kind === 'link' ? { target: readText(header, 157, 100) } : {}),
    });
    start += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return entries;
}

function readText(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

const readOctal = (header: Buffer, start: number, length: number): number =>
  Number.parseInt(readText(header, start, length).trim() || '0', 8);
