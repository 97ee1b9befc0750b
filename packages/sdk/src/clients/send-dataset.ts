import {
  datasetPieceSchemas,
  madeDatasetSchema,
  type DataRecord,
  type datasetImportSchema,
  type DatasetMade,
} from '@lachesis/protocol';
import type { z } from 'zod';
import { ClientError } from './client-error.ts';
import { readWork } from './read-work.ts';
import { request, type SendOptions } from './request.ts';

/** Rows of a file, as they are read. */
export type ImportedRows = Omit<z.input<typeof datasetImportSchema>, 'rows'> & {
  rows: Iterable<DataRecord> | AsyncIterable<DataRecord>;
};

/** What one request holds: well below what a server takes, and enough that its own cost is small. */
const PIECE_ROWS = 1_000;
const PIECE_CHARACTERS = 4_000_000;
/** A piece takes a while to arrive and to be written. */
const PIECE_TIMEOUT_MS = 120_000;
/** Hours of sending are not lost to a server that starts anew or asks to wait. */
const PIECE_RETRY_MS = 120_000;

interface Piece {
  /** As JSON. */
  rows: string[];
  /** How many came before it. */
  start: number;
  isLast: boolean;
}

/** Sends rows in pieces, each with its digest, and has a version made from them; what fits in one request is one. */
export async function sendDataset(plan: SendOptions, { rows, ...make }: ImportedRows): Promise<DatasetMade> {
  const pieces: string[] = [];
  let sent = 0;
  for await (const piece of splitRows(rows)) {
    if (piece.isLast && pieces.length === 0) {
      const fields = Object.entries({ ...make }).map(
        ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)},`,
      );
      return await sendRows(plan, piece, { fields: fields.join(''), parse: madeDatasetSchema.parse });
    }
    const to = { ...plan, path: `${plan.path}/pieces`, retryForMs: Math.max(plan.retryForMs ?? 0, PIECE_RETRY_MS) };
    const kept = await sendRows(to, piece, { fields: '', parse: datasetPieceSchemas.kept.parse });
    pieces.push(kept.piece);
    sent += kept.row_count;
  }
  const body = { ...make, pieces, row_count: sent };
  const lines = readWork({ ...plan, path: `${plan.path}/pieces/make`, body }, datasetPieceSchemas.line.parse, 'made');
  for await (const line of lines) if ('made' in line) return line.made;
  throw new Error('unreachable: a stream without its end has thrown');
}

async function* splitRows(rows: ImportedRows['rows']): AsyncGenerator<Piece> {
  let piece: Piece = { rows: [], start: 0, isLast: false };
  let characters = 0;
  for await (const row of rows) {
    const text = JSON.stringify(row);
    const isFull = piece.rows.length >= PIECE_ROWS || characters + text.length > PIECE_CHARACTERS;
    if (isFull && piece.rows.length > 0) {
      yield piece;
      piece = { rows: [], start: piece.start + piece.rows.length, isLast: false };
      characters = 0;
    }
    piece.rows.push(text);
    characters += text.length;
  }
  yield { ...piece, isLast: true };
}

async function sendRows<T>(
  plan: SendOptions,
  piece: Piece,
  { fields, parse }: { fields: string; parse: (reply: unknown) => T },
): Promise<T> {
  const { rows } = piece;
  const body = new TextEncoder().encode(`{${fields}"rows":[${rows.join(',')}]}`);
  const digest = await crypto.subtle.digest('SHA-256', body);
  const headers = {
    'content-type': 'application/json',
    'content-digest': `sha-256=:${btoa(String.fromCharCode(...new Uint8Array(digest)))}:`,
  };
  try {
    return await request({ ...plan, body, headers, timeoutMs: PIECE_TIMEOUT_MS, parse });
  } catch (error) {
    throw ClientError.isInstance(error) ? nameRows(error, piece) : error;
  }
}

/** A server counts the rows of one request; whoever reads it wants those of the file. */
function nameRows(error: ClientError, { rows, start, isLast }: Piece): ClientError {
  const { code, call, status, retryable, hint, retryAfterMs, attempts, cause } = error;
  const issues = error.issues?.map((issue) => ({
    ...issue,
    field: issue.field.replace(/^rows\.(\d+)/, (_, place: string) => `rows.${start + Number(place)}`),
  }));
  const isNamed = issues?.[0]?.field.startsWith('rows.') === true;
  const isOnly = isLast && start === 0;
  const where = isNamed || isOnly ? '' : `rows ${start} to ${start + rows.length - 1}: `;
  const reason = `${where}${error.reason}${isOnly ? '' : '; nothing was imported'}`;
  return new ClientError({ code, call, reason, status, retryable, hint, issues, retryAfterMs, attempts, cause });
}
