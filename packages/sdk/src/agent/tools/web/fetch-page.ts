import { ToolError } from '../../tool-error.ts';
import { htmlToText } from './html-to-text.ts';
import { readCapped } from './read-capped.ts';

/** A page of text; a longer one is a file, and its beginning says enough. */
const LARGEST_PAGE = 2_000_000;
const PAGE_MS = 30_000;
const TEXT = /^(?:text\/|application\/(?:json|xml|xhtml\+xml|javascript|[\w.+-]+\+(?:json|xml)))/;

/** Reads a page as its text. */
export async function fetchPage(
  url: string,
  { fetch: ask, signal }: { fetch: typeof fetch; signal: AbortSignal },
): Promise<string> {
  const response = await ask(url, {
    headers: { accept: 'text/html, text/plain, application/json;q=0.9', 'user-agent': 'lachesis' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(PAGE_MS)]),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new ToolError({ what: `${url} was not read`, reason: `it answered with ${response.status}` });
  }
  const type = response.headers.get('content-type') ?? 'text/html';
  if (!TEXT.test(type)) {
    await response.body?.cancel();
    throw new ToolError({ what: `${url} was not read`, reason: `it is ${type.split(';', 1)[0]} and no text` });
  }
  const text = new TextDecoder(charsetOf(type)).decode((await readCapped(response, LARGEST_PAGE)).bytes);
  return /html/.test(type) ? htmlToText(text) : text;
}

function charsetOf(type: string): string {
  const named = /charset=["']?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(named).encoding;
  } catch {
    // A name that nobody knows: nearly every page is UTF-8.
    return 'utf-8';
  }
}
