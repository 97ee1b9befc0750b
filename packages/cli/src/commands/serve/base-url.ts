import { KEY_PATH } from '@lachesis/protocol';

/** What an application is given as its base URL: one changed address is enough, so the key stands in it. */
export const writeBaseUrl = (url: string, key: string | undefined): string =>
  key === undefined ? `${url}/v1` : `${url}${KEY_PATH}${key}/v1`;
