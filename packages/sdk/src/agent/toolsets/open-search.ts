import { openCorpus } from '../tools/web/open-corpus.ts';
import { createBrave, createExa, createSearxng, createTavily } from '../tools/web/search-apis.ts';
import type { SearchProvider } from '../tools/web/search-provider.ts';
import type { ToolsSettings } from './tools-settings.ts';

type Search = NonNullable<ToolsSettings['search']>;

export interface OpenSearchOptions {
  readonly search: Search | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetchOf: (address: string) => typeof fetch;
  readonly fetchPage: typeof fetch;
}

/** By which variable each is found, the first that is set where no setting says one. */
const VARIABLES = {
  tavily: ['TAVILY_API_KEY'],
  brave: ['BRAVE_API_KEY', 'BRAVE_SEARCH_API_KEY'],
  exa: ['EXA_API_KEY'],
  searxng: ['SEARXNG_URL'],
} as const;

const ADDRESSES = {
  tavily: 'https://api.tavily.com',
  brave: 'https://api.search.brave.com',
  exa: 'https://api.exa.ai',
} as const;

const ALL =
  'set TAVILY_API_KEY, BRAVE_API_KEY, EXA_API_KEY or SEARXNG_URL (lachesis config set), or tools.search: corpus:<folder> (--tools)';

/** Who searches: what the settings say, or whose key is there. */
export async function openSearch(options: OpenSearchOptions): Promise<SearchProvider | { configure: string }> {
  const { env, fetchPage, fetchOf } = options;
  const read = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const byKey = (Object.keys(VARIABLES) as (keyof typeof VARIABLES)[]).find((name) => VARIABLES[name].some(read));
  const search: Search | undefined =
    options.search ??
    (byKey === undefined ? undefined : { provider: byKey, base_url: undefined, api_key_env: undefined });
  if (search === undefined) return { configure: ALL };
  if (search.provider === 'corpus') {
    const { folder } = search;
    return openCorpus(folder).catch((error: NodeJS.ErrnoException) => ({
      configure: `mend tools.search: corpus:${folder} cannot be read (${error.code ?? error.message})`,
    }));
  }
  const { provider } = search;
  const names: readonly string[] = search.api_key_env === undefined ? VARIABLES[provider] : [search.api_key_env];
  const key = names.map(read).find((value) => value !== undefined);
  if (provider === 'searxng') {
    const baseUrl = search.base_url ?? key;
    if (baseUrl === undefined) return { configure: 'set SEARXNG_URL, such as http://localhost:8080' };
    if (!URL.canParse(baseUrl)) return { configure: `mend SEARXNG_URL: ${JSON.stringify(baseUrl)} is no address` };
    return createSearxng({ baseUrl, fetch: fetchOf(baseUrl), fetchPage });
  }
  if (key === undefined) return { configure: `set ${names[0] ?? ''}, the key of ${provider}` };
  const baseUrl = search.base_url ?? ADDRESSES[provider];
  const made = { apiKey: key, baseUrl, fetch: fetchOf(baseUrl), fetchPage };
  if (provider === 'tavily') return createTavily(made);
  return provider === 'brave' ? createBrave(made) : createExa(made);
}
