import { z } from 'zod';
import { request } from '../../../clients/request.ts';
import { ToolError } from '../../tool-error.ts';
import { fetchPage } from './fetch-page.ts';
import type { SearchApiOptions, SearchProvider, WebSearchHit } from './search-provider.ts';

const SEARCH_MS = 30_000;

/** Hits of any of them: the address is needed, the rest is what there is. */
const hit = z.looseObject({
  title: z.string().nullish(),
  url: z.string(),
  content: z.string().nullish(),
  description: z.string().nullish(),
  text: z.string().nullish(),
});

const toHits = (hits: readonly z.infer<typeof hit>[]): WebSearchHit[] =>
  hits.map(({ title, url, content, description, text }) => ({
    ...{ title: title ?? url, url },
    excerpt: (content ?? description ?? text ?? undefined)?.slice(0, 1_000),
  }));

const first = (pages: readonly string[], url: string): string => {
  const [page] = pages;
  if (page !== undefined && page !== '') return page;
  throw new ToolError({ what: `${url} was not read`, reason: 'the provider gave nothing for it' });
};

/** Tavily: `POST /search` and `/extract` (docs.tavily.com). */
export function createTavily({ apiKey, baseUrl = 'https://api.tavily.com', fetch }: SearchApiOptions): SearchProvider {
  const ask = { url: baseUrl, token: apiKey, fetch, method: 'POST' as const, timeoutMs: SEARCH_MS };
  const pages = z.looseObject({ results: z.array(z.looseObject({ raw_content: z.string().nullish() })) });
  return {
    search: async (query, { limit, signal }) =>
      toHits(
        await request({
          ...ask,
          ...{ path: '/search', body: { query, max_results: limit }, signal },
          parse: (reply) => z.looseObject({ results: z.array(hit) }).parse(reply).results,
        }),
      ),
    extract: async (url, { signal }) =>
      first(
        await request({
          ...ask,
          ...{ path: '/extract', body: { urls: [url] }, signal },
          parse: (reply) => pages.parse(reply).results.map(({ raw_content: text }) => text ?? ''),
        }),
        url,
      ),
  };
}

/** Brave: `GET /res/v1/web/search`; pages are read by us. */
export function createBrave(options: SearchApiOptions): SearchProvider {
  const { apiKey = '', baseUrl = 'https://api.search.brave.com', fetch } = options;
  const found = z.looseObject({ web: z.looseObject({ results: z.array(hit) }).nullish() });
  return {
    search: async (query, { limit, signal }) =>
      toHits(
        await request({
          ...{ url: baseUrl, fetch, method: 'GET', timeoutMs: SEARCH_MS, signal },
          path: `/res/v1/web/search?${new URLSearchParams({ q: query, count: String(limit) }).toString()}`,
          headers: { 'x-subscription-token': apiKey },
          parse: (reply) => found.parse(reply).web?.results ?? [],
        }),
      ),
    extract: (url, { signal }) => fetchPage(url, { fetch: options.fetchPage, signal }),
  };
}

/** Exa: `POST /search` and `/contents` (docs.exa.ai). */
export function createExa({ apiKey = '', baseUrl = 'https://api.exa.ai', fetch }: SearchApiOptions): SearchProvider {
  const ask = {
    ...{ url: baseUrl, fetch, method: 'POST' as const, timeoutMs: SEARCH_MS },
    headers: { 'x-api-key': apiKey },
    parse: (reply: unknown) => z.looseObject({ results: z.array(hit) }).parse(reply).results,
  };
  return {
    search: async (query, { limit, signal }) => {
      const body = { query, numResults: limit, contents: { text: { maxCharacters: 1_000 } } };
      return toHits(await request({ ...ask, path: '/search', body, signal }));
    },
    extract: async (url, { signal }) => {
      const pages = await request({ ...ask, path: '/contents', body: { urls: [url], text: true }, signal });
      return first(
        pages.map(({ text }) => text ?? ''),
        url,
      );
    },
  };
}

/** SearXNG: `GET /search?format=json`, which its settings.yml has to allow; pages are read by us. */
export function createSearxng(options: SearchApiOptions & { readonly baseUrl: string }): SearchProvider {
  return {
    search: async (query, { limit, signal }) => {
      const hits = await request({
        ...{
          url: options.baseUrl.replace(/\/+$/, ''),
          fetch: options.fetch,
          method: 'GET',
          timeoutMs: SEARCH_MS,
          signal,
        },
        path: `/search?${new URLSearchParams({ q: query, format: 'json' }).toString()}`,
        parse: (reply) => z.looseObject({ results: z.array(hit) }).parse(reply).results,
      });
      return toHits(hits.slice(0, limit));
    },
    extract: (url, { signal }) => fetchPage(url, { fetch: options.fetchPage, signal }),
  };
}
