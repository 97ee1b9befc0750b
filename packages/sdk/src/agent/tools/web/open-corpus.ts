import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { ToolError } from '../../tool-error.ts';
import type { SearchProvider } from './search-provider.ts';

interface Page {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly words: ReadonlyMap<string, number>;
  readonly length: number;
}

/** A name that leads nowhere (RFC 2606), for pages that say no address of their own. */
const OWN_HOST = 'https://corpus.invalid/';
/** The usual constants of BM25. */
const K1 = 1.2;
const B = 0.75;
const EXCERPT = 400;

/**
 * A folder as the whole web: `.md` and `.txt` files are a page each, `.jsonl` files one for each row (`title`, `url`, `text`). For work
 * without a network, and for tasks whose answers must not change.
 */
export async function openCorpus(folder: string): Promise<SearchProvider> {
  const pages: Page[] = [];
  for (const file of await listFiles(folder)) {
    const name = relative(folder, file).split(sep).join('/');
    const text = await readFile(file, 'utf8');
    if (!name.endsWith('.jsonl')) pages.push(toPage({ text }, name));
    else for (const [index, row] of readLines(text, file).entries()) pages.push(toPage(row, `${name}/${index}`));
  }
  const average = pages.reduce((sum, { length }) => sum + length, 0) / Math.max(1, pages.length);
  const byUrl = new Map(pages.map((page) => [page.url, page]));
  return {
    search: async (query, { limit }) => {
      const words = [...new Set(toWords(query))];
      return pages
        .map((page) => ({ page, score: scoreOf(page, words, { pages, average }) }))
        .filter(({ score }) => score > 0)
        .sort((left, right) => right.score - left.score)
        .slice(0, limit)
        .map(({ page }) => ({ title: page.title, url: page.url, excerpt: excerptOf(page.text, words) }));
    },
    extract: async (url) => {
      const page = byUrl.get(url);
      if (page !== undefined) return page.text;
      throw new ToolError({ what: `${url} was not read`, reason: 'it is not in the corpus', hint: 'Search for it' });
    },
  };
}

async function listFiles(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile() && /\.(?:md|txt|jsonl)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

interface Row {
  readonly text: string;
  readonly title?: string | undefined;
  readonly url?: string | undefined;
}

function readLines(text: string, file: string): Row[] {
  return text.split('\n').flatMap((line, index): Row[] => {
    if (line.trim() === '') return [];
    const refuse = (cause?: unknown): Error =>
      new Error(`${file}, line ${index + 1}, is no row such as {"title": "…", "url": "…", "text": "…"}`, { cause });
    let row: Partial<Record<'text' | 'title' | 'url', unknown>>;
    try {
      row = JSON.parse(line) as typeof row;
    } catch (cause) {
      throw refuse(cause);
    }
    if (typeof row?.text !== 'string') throw refuse();
    const { title, url } = row;
    return [
      {
        text: row.text,
        title: typeof title === 'string' ? title : undefined,
        url: typeof url === 'string' ? url : undefined,
      },
    ];
  });
}

function toPage({ text, title, url }: Row, name: string): Page {
  const shown = title ?? /^#\s+(.+)$/m.exec(text)?.[1]?.trim() ?? name;
  const words = new Map<string, number>();
  // The title counts twice: it says what the page is about.
  const all = [...toWords(shown), ...toWords(text)];
  for (const word of all) words.set(word, (words.get(word) ?? 0) + 1);
  return { url: url ?? new URL(encodeURI(name), OWN_HOST).href, title: shown, text, words, length: all.length };
}

const toWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function scoreOf(
  page: Page,
  words: readonly string[],
  { pages, average }: { pages: readonly Page[]; average: number },
): number {
  let score = 0;
  for (const word of words) {
    const count = page.words.get(word) ?? 0;
    if (count === 0) continue;
    const having = pages.filter((each) => each.words.has(word)).length;
    const rarity = Math.log(1 + (pages.length - having + 0.5) / (having + 0.5));
    score += (rarity * count * (K1 + 1)) / (count + K1 * (1 - B + (B * page.length) / average));
  }
  return score;
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...(places.length === 0 ? [0] : places)) - 80);
  return text
    .slice(from, from + EXCERPT)
    .replaceAll(/\s+/g, ' ')
    .trim();
}
