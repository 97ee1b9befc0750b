import type { ControlClient } from '@lachesis/sdk';
import type { ModelAdapter } from './bring-adapter.ts';

/** Brings the trained weights of a model from a server that has the engine: files come in pieces with the token, and are held against their digests. */
export async function fetchAdapter(options: {
  client: Pick<ControlClient, 'locateAdapterFile' | 'readAdapter' | 'url'>;
  token: string | undefined;
  ref: string;
  destination: string;
  overwrite: boolean;
  signal: AbortSignal;
}): Promise<ModelAdapter> {
  const { client, token, ref, destination, overwrite, signal } = options;
  const adapter = await client.readAdapter(ref, { signal });
  const id = adapter.model_version_id;
  const headers = token === undefined ? {} : { headers: () => ({ authorization: `Bearer ${token}` }) };
  // Loaded here: a list of models needs no engine.
  const { downloadListedAdapter } = await import('@lachesis/tinker');
  await downloadListedAdapter({
    ...{ source: `${client.url} ${id}`, destination, overwrite, signal, server: { baseUrl: client.url, ...headers } },
    files: adapter.files.map(({ name, sha256 }) => ({ name, sha256, url: client.locateAdapterFile(id, name) })),
  });
  return adapter;
}
