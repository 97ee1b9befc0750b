/*
 * Blobs alone, without the database: what a worker thread needs that only reads and writes payloads. The names are also
 * part of the package's main surface.
 */

export { openLibraryBlobs } from '../home/open-library-blobs.ts';
export { BlobCorruptError, BlobMissingError } from '../errors/blob-errors.ts';
export { DiskFullError } from '../errors/disk-full-error.ts';
