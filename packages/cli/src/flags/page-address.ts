import { ClientError, type ControlClient } from '@lachesis/sdk';

/** As people type it, and as browsers trust it. */
export const toLocal = (url: string): string => url.replace('://127.0.0.1:', '://localhost:');

/**
 * The address that opens the page of a server. A code stands behind its `#`, which is good once; a server that asks for no token
 * has none.
 */
export async function makePageAddress(client: Pick<ControlClient, 'makeSessionCode' | 'url'>): Promise<string> {
  const page = `${toLocal(client.url).replace(/\/+$/, '')}/`;
  try {
    return `${page}#${(await client.makeSessionCode()).code}`;
  } catch (error) {
    if (ClientError.isInstance(error) && error.code === 'conflict') return page;
    throw error;
  }
}
