import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const root = path.resolve(import.meta.dirname, '../..');
const TEXT = /\.(css|html|js|json|svg|txt)$/;
/** Below this compressing saves no packet. */
const LEAST_BYTES = 512;

const compress = { br: promisify(brotliCompress), gz: promisify(gzip) };

/**
 * Copies the built page to where the package of the CLI carries it, with each text beside it as Brotli and gzip. False when it was
 * not built: then the package has none.
 */
export async function copyDashboard(options: { from?: string; to?: string } = {}): Promise<boolean> {
  const { from = path.join(root, 'apps/dashboard/dist'), to = path.join(root, 'packages/cli/dashboard') } = options;
  await rm(to, { recursive: true, force: true });
  const names = await readdir(from, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (names === undefined || !names.includes('index.html')) return false;
  await cp(from, to, { recursive: true });
  await Promise.all(names.filter((name) => TEXT.test(name)).map((name) => compressFile(path.join(to, name))));
  return true;
}

async function compressFile(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < LEAST_BYTES) return;
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  await writeFile(`${file}.br`, await compress.br(bytes, quality));
  await writeFile(`${file}.gz`, await compress.gz(bytes, { level: constants.Z_BEST_COMPRESSION }));
}
