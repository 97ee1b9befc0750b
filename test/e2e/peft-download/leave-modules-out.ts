import { gunzipSync, gzipSync } from 'node:zlib';

const GZIP_MAGIC = [0x1f, 0x8b];

/**
 * A `fetch` whose archives have `target_modules: null`, as an engine with the real peft writes them. The stand-in for peft
 * that our engine runs with names the modules, and would hide whether the client fills them in.
 */
export const fetchWithModulesLeftOut: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isArchive = GZIP_MAGIC.every((byte, index) => bytes[index] === byte);
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  const { status } = response;
  return new Response(isArchive ? gzipSync(leaveModulesOut(gunzipSync(bytes))) : bytes, { status, headers });
};

/** Keeps the length of the file in the archive: its header stays right. */
function leaveModulesOut(archive: Buffer): Buffer {
  const text = archive.toString('latin1');
  const changed = text.replace(/"target_modules": \[[^\]]*\]/, (found) =>
    '"target_modules": null'.padEnd(found.length),
  );
  if (changed === text) throw new Error('the archive of the engine names no target_modules');
  return Buffer.from(changed, 'latin1');
}
