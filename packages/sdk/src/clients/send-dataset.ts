import {
  datasetPieceSchemas,
  madeDatasetSchema,
  realClock,
  type DataRecord,
  type datasetImportSchema,
  type DatasetMade,
} from '@lachesis/protocol';
import type { z } from 'zod';
import { ClientError } from './client-error.ts';
import { readWork } from './read-work.ts';
import { factsOf, request, type SendOptions } from './request.ts';

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
/** A server keeps pieces for a day, which the version is made within. */
const SENDING_MS = 23 * 60 * 60_000;

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
  const patient = { ...plan, retryForMs: Math.max(plan.retryForMs ?? 0, PIECE_RETRY_MS) };
  const clock = plan.clock ?? realClock;
  const began = clock.now();
  for await (const piece of splitRows(rows)) {
    if (piece.isLast && pieces.length === 0) {
      return await sendRows(plan, piece, { make, parse: madeDatasetSchema.parse });
    }
    const isTooMany = !datasetPieceSchemas.make.shape.row_count.safeParse(piece.start + piece.rows.length).success;
    if (isTooMany || clock.now() - began > SENDING_MS) throw refuseMore(plan, sent, isTooMany);
    const to = { ...patient, path: `${plan.path}/pieces` };
    const kept = await sendRows(to, piece, { make: {}, parse: datasetPieceSchemas.kept.parse });
    pieces.push(kept.piece);
    sent += kept.row_count;
  }
  const body = { ...make, pieces, row_count: sent };
  const lines = readWork(
    { ...patient, path: `${plan.path}/pieces/make`, body },
    datasetPieceSchemas.line.parse,
    'made',
  );
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
  { make, parse }: { make: Omit<ImportedRows, 'rows'>; parse: (reply: unknown) => T },
): Promise<T> {
  const { rows } = piece;
  const beginning = JSON.stringify({ ...make, rows: [] }).slice(0, -2);
  const body = new TextEncoder().encode(`${beginning}${rows.join(',')}]}`);
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

/** Told while it is sent, and not when a version is to be made of it at the end. */
const refuseMore = ({ method, path }: SendOptions, sent: number, isTooMany: boolean): ClientError =>
  new ClientError({
    ...{ code: 'too-large', call: `${method} ${path}`, retryable: false },
    reason: `${sent} rows were sent, and ${isTooMany ? 'one data set takes no more' : 'a server keeps them for a day only'}; nothing was imported`,
    hint: 'Import the file in parts, each under a name of its own.',
  });

/** A server counts the rows of one request; whoever reads it wants those of the file. */
function nameRows(error: ClientError, { rows, start, isLast }: Piece): ClientError {
  const issues = error.issues?.map((issue) => ({
    ...issue,
    field: issue.field.replace(/^rows\.(\d+)/, (_, place: string) => `rows.${start + Number(place)}`),
  }));
  const isNamed = issues?.[0]?.field.startsWith('rows.') === true;
  // Before anything is there, what no row is to blame for is told as of a file that fits in one request.
  const isWhole = start === 0 && (isLast || issues === undefined);
  const where = isNamed || isWhole ? '' : `rows ${start} to ${start + rows.length - 1}: `;
  const reason = `${where}${error.reason}${isWhole ? '' : '; nothing was imported'}`;
  return new ClientError({ ...factsOf(error), reason, issues });
}
