import type { BlobNotes } from '../blob-store.ts';
import { checksumHeaders } from './checksum-headers.ts';
import { listObjects } from './list-objects.ts';
import type { SendRequest } from './s3-client.ts';

/** Notes as objects beside the blobs. */
export function openS3Notes({ send, prefix }: { send: SendRequest; prefix: string }): BlobNotes {
  return {
    async read(name) {
      const { status, body } = await send({ method: 'GET', key: name, expect: [404] });
      return status === 404 ? undefined : new TextDecoder().decode(body);
    },
    // Of two who write at once the store refuses the second.
    async writeOnce(name, text) {
      const body = new TextEncoder().encode(text);
      const headers = { ...checksumHeaders(body), 'if-none-match': '*' };
      await send({ method: 'PUT', key: name, headers, body, expect: [412] });
    },
    async list() {
      const notes: { name: string; modifiedAtMs: number }[] = [];
      for await (const { name, modifiedAtMs } of listObjects({ send, prefix, under: '.' })) {
        notes.push({ name, modifiedAtMs });
      }
      return notes;
    },
    async remove(name) {
      await send({ method: 'DELETE', key: name, expect: [404] });
    },
  };
}
