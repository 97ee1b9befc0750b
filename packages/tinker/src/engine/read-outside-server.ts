import { DEFAULT_ENGINE_PORT } from './choose-port.ts';

/** A server elsewhere that the environment variables name, and by which of them. */
export interface OutsideServer {
  /** Without credentials; undefined is the managed service. */
  readonly url: string | undefined;
  readonly variable: 'TINKER_BASE_URL' | 'TINKER_API_KEY';
}

/** The server that the environment names instead of the local engine; undefined when the local one is meant. */
export function readOutsideServer(options: {
  env: Readonly<Record<string, string | undefined>>;
  /** URLs of the local engine: somebody who exported one of them means the local engine. */
  localUrls?: readonly string[];
}): OutsideServer | undefined {
  const { env, localUrls = [] } = options;
  const baseUrl = env['TINKER_BASE_URL']?.trim() ?? '';
  if (baseUrl !== '') {
    const local = [`http://127.0.0.1:${DEFAULT_ENGINE_PORT}`, ...localUrls].map(toOrigin);
    const url = hideCredentials(baseUrl);
    return local.includes(toOrigin(url)) ? undefined : { url, variable: 'TINKER_BASE_URL' };
  }
  if ((env['TINKER_API_KEY']?.trim() ?? '') === '') return undefined;
  return { url: undefined, variable: 'TINKER_API_KEY' };
}

function toOrigin(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, hostname, port } = new URL(url);
  return `${protocol}//${hostname === 'localhost' ? '127.0.0.1' : hostname}:${port}`;
}

function hideCredentials(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url.href.replace(/\/$/, '');
}
