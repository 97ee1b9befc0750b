import type { BlobEntry } from '../blob-store.ts';
import { readElement, readElements } from './read-elements.ts';
import type { SendRequest } from './s3-client.ts';

export interface ListObjectsOptions {
  send: SendRequest;
  /** Before every key of ours. */
  prefix: string;
  /** After it: `.` for notes, a folder with its slash, or nothing. What lies in further folders is left out. */
  under?: string;
}

/** Objects by the rest of their key, in its order, a page at a time. */
export async function* listObjects(
  options: ListObjectsOptions,
): AsyncIterable<Omit<BlobEntry, 'digest'> & { name: string }> {
  const { send, prefix, under = '' } = options;
  const whole = `${prefix}${under}`;
  const folder = whole.slice(0, whole.lastIndexOf('/') + 1);
  let token: string | undefined;
  do {
    const query = {
      ...{ 'list-type': '2', prefix: whole, delimiter: '/' },
      ...(token === undefined ? {} : { 'continuation-token': token }),
    };
    const xml = new TextDecoder().decode((await send({ method: 'GET', key: '', query })).body);
    for (const item of readElements(xml, 'Contents')) {
      const key = readElement(item, 'Key') ?? '';
      const modifiedAtMs = Date.parse(readElement(item, 'LastModified') ?? '');
      yield { name: key.slice(folder.length), bytes: Number(readElement(item, 'Size')), modifiedAtMs };
    }
    token = readElement(xml, 'IsTruncated') === 'true' ? readElement(xml, 'NextContinuationToken') : undefined;
  } while (token !== undefined);
}
