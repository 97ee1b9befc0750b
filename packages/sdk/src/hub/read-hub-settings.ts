import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface HubSettings {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string | undefined;
  /** Where `huggingface_hub` keeps what it downloaded; both read each other's files. */
  readonly cacheDirectory: string;
  readonly isOffline: boolean;
}

const DEFAULT_URL = 'https://huggingface.co';
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The variables that the hub's own tools read, and the file that `hf auth login` writes. */
export async function readHubSettings(
  env: Readonly<Record<string, string | undefined>>,
  options: { cacheDirectory?: string | undefined } = {},
): Promise<HubSettings> {
  const read = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const cacheRoot = read('XDG_CACHE_HOME') ?? join(homedir(), '.cache');
  const home = read('HF_HOME') ?? join(cacheRoot, 'huggingface');
  const url = (read('HF_ENDPOINT') ?? DEFAULT_URL).replace(/\/+$/, '');
  const token = read('HF_TOKEN') ?? (await readTokenFile(read('HF_TOKEN_PATH') ?? join(home, 'token')));
  return {
    url,
    token: maySendToken(url) ? token : undefined,
    cacheDirectory:
      options.cacheDirectory ?? read('HF_HUB_CACHE') ?? read('HUGGINGFACE_HUB_CACHE') ?? join(home, 'hub'),
    isOffline: /^(1|on|true|yes)$/i.test(read('HF_HUB_OFFLINE') ?? ''),
  };
}

/** In clear only to this machine. */
function maySendToken(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || LOOPBACK.has(hostname);
}

async function readTokenFile(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim() || undefined;
  } catch {
    // Most people have none, and who may not read it has none either.
    return undefined;
  }
}
