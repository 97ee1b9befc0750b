import { addBlobReference, readSettings, writeSettings, type BlobStore, type Store } from '@lachesis/store';
import { BlobMissingError } from '@lachesis/store/blobs';
import { hash } from 'node:crypto';
import type { ReferenceCache } from './reference-logprobs.ts';

/** Keeps the logprobs of frozen weights as blobs; the settings say which blob belongs to which key. */
export function createReferenceCache(options: { store: Store; blobs: BlobStore; tenantId: string }): ReferenceCache {
  const { store, blobs, tenantId } = options;
  const scopeOf = (key: string) => ({ store, tenantId, scope: `reference-logprobs:${key}` });
  return {
    async read(key) {
      const [entry] = await readSettings(scopeOf(key));
      if (typeof entry?.value !== 'string') return undefined;
      try {
        const bytes = await blobs.get(entry.value);
        return new Float32Array(Uint8Array.from(bytes).buffer);
      } catch (error) {
        if (BlobMissingError.isInstance(error)) return undefined;
        throw error;
      }
    },
    async write(key, values) {
      const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
      const digest = hash('sha256', bytes, 'hex');
      await blobs.put(digest, bytes);
      // If we die between these two: a blob that is kept and not found. It is measured once more.
      await store.commit({ statements: [addBlobReference({ store, tenantId, digest, bytes: bytes.byteLength })] });
      await writeSettings({ ...scopeOf(key), settings: [{ name: 'blob', value: digest, origin: 'trainer' }] });
    },
  };
}
