import { LachesisError, type DataRecord, type datasetPieceSchemas } from '@lachesis/protocol';
import type { BlobStore } from '@lachesis/store';
import { BlobMissingError } from '@lachesis/store/blobs';
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { z } from 'zod';
import type { IngestParts } from './ingest-records.ts';
import { importDataset, readName } from './datasets.ts';
import { redactRow } from './redact-row.ts';

/**
 * Rows of a file that is too large for one request, sent piece by piece. A piece is a blob that no row refers to: what is
 * never made into a version is taken by the collector of orphans, and nothing of it is part of the library.
 */
export interface ImportPieces {
  /** Keeps some rows, without what the settings take out. The same rows may be sent again. */
  add(options: {
    tenantId: string;
    name: string;
    rows: readonly DataRecord[];
  }): Promise<z.infer<(typeof datasetPieceSchemas)['kept']>>;
  /**
   * Makes the version from all pieces at once: it is there whole, or not at all. What can be told without reading them is
   * refused before the first line.
   */
  make(options: {
    tenantId: string;
    name: string;
    make: z.output<(typeof datasetPieceSchemas)['make']>;
    /** Who goes away wants no version. */
    signal?: AbortSignal | undefined;
  }): AsyncGenerator<z.infer<(typeof datasetPieceSchemas)['line']>>;
}

export function createImportPieces({
  parts,
  secret,
}: {
  parts: Pick<IngestParts, 'blobs' | 'redactor' | 'store'>;
  /** Signs pieces: the same for every server that has these blobs, and after a restart. */
  secret: Uint8Array;
}): ImportPieces {
  const { store, blobs, redactor } = parts;
  const sign = (tenantId: string, facts: string): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify([tenantId, facts]))
      .digest();

  /** What a piece says, when we said it to this tenant. */
  function read(tenantId: string, piece: string, index: number): { digest: string; rows: number; redacted: number } {
    const end = piece.lastIndexOf('.');
    const given = Buffer.from(piece.slice(end + 1), 'hex');
    const wanted = sign(tenantId, piece.slice(0, Math.max(0, end)));
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw gone(index);
    const [digest = '', rows, redacted] = piece.split('.');
    return { digest, rows: Number(rows), redacted: Number(redacted) };
  }

  return {
    async add({ tenantId, name, rows }) {
      // Hours before the version is made of it.
      readName(name);
      const clean = rows.map((row) => redactRow(row, redactor));
      const redacted = clean.reduce((sum, { found }) => sum + found, 0);
      // A name of its own, so that taking it away never takes a chunk of a data set that happens to be equal.
      const lines = [randomUUID(), ...clean.map(({ row }) => JSON.stringify(row))];
      const bytes = zstdCompressSync(lines.join('\n'));
      const digest = createHash('sha256').update(bytes).digest('hex');
      await blobs.put(digest, bytes);
      // Names the blob, says what is in it, and is signed for the tenant: knowing a digest is no right to read it.
      const facts = [digest, rows.length, redacted].join('.');
      return { piece: `${facts}.${sign(tenantId, facts).toString('hex')}`, row_count: rows.length, redacted };
    },
    async *make({ tenantId, name, make: { pieces, row_count: announced, ...make }, signal }) {
      readName(name);
      const known = pieces.map((piece, index) => read(tenantId, piece, index));
      const count = known.reduce((sum, { rows }) => sum + rows, 0);
      // By what they name: a signature has more than one spelling. Each is held once, and then taken away.
      if (new Set(known.map(({ digest }) => digest)).size < known.length) {
        throw new LachesisError({ code: 'invalid', message: 'a piece is named twice; nothing was imported' });
      }
      if (count !== announced) {
        const message = `the pieces hold ${count} rows, and ${announced} were sent; nothing was imported`;
        throw new LachesisError({ code: 'conflict', message, hint: 'Send the file again.' });
      }
      yield { said: `making a version of ${name} from ${count} rows` };
      const rows = readPieces(blobs, known, signal);
      const made = await importDataset({ store, blobs, tenantId, redactor, isRedacted: true, name, rows, make });
      for (const { digest } of known) await blobs.remove(digest);
      yield { made: { ...made, redacted: known.reduce((sum, { redacted }) => sum + redacted, 0) } };
    },
  };
}

/** One piece in memory at a time. */
async function* readPieces(
  blobs: BlobStore,
  pieces: readonly { digest: string }[],
  signal: AbortSignal | undefined,
): AsyncGenerator<DataRecord> {
  for (const [index, { digest }] of pieces.entries()) {
    signal?.throwIfAborted();
    const bytes = await blobs.get(digest).catch((error: unknown) => {
      throw BlobMissingError.isInstance(error) ? gone(index) : error;
    });
    const [, ...lines] = zstdDecompressSync(bytes).toString('utf8').split('\n');
    for (const line of lines) yield JSON.parse(line) as DataRecord;
  }
}

const gone = (index: number): LachesisError =>
  new LachesisError({
    code: 'gone',
    message: `piece ${index + 1} of the file is not here any more; nothing was imported`,
    hint: 'Send the file again: pieces are kept for a day.',
  });
