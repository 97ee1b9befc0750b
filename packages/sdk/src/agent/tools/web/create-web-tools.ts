import { z } from 'zod';
import type { AgentTool } from '../../agent-tool.ts';
import { defineTool } from '../../define-tool.ts';
import type { SearchProvider } from './search-provider.ts';

const MOST_PAGES = 5;

/** `web_search` and `web_extract` over a provider; those it cannot do are left out. */
export function createWebTools(provider: SearchProvider): AgentTool[] {
  const { search, extract } = provider;
  const tools: AgentTool[] = [];
  if (search !== undefined) {
    tools.push(
      defineTool({
        name: 'web_search',
        description: 'Searches the web and gives titles, addresses and excerpts.',
        input: z.object({ query: z.string().min(1), limit: z.int().min(1).max(20).default(5) }),
        execute: async ({ query, limit }, { signal }) => ({
          results: (await search.call(provider, query, { limit, signal })).slice(0, limit),
        }),
      }),
    );
  }
  if (extract !== undefined) {
    tools.push(
      defineTool({
        name: 'web_extract',
        description: 'Gives the text of web pages.',
        input: z.object({
          urls: z
            .array(z.url({ protocol: /^https?$/ }))
            .min(1)
            .max(MOST_PAGES),
        }),
        execute: async ({ urls }, { signal }) => ({
          pages: await Promise.all(
            urls.map(async (url) => {
              try {
                return { url, content: await extract.call(provider, url, { signal }) };
              } catch (error) {
                // One page that is gone does not take the others with it.
                return { url, error: error instanceof Error ? error.message : String(error) };
              }
            }),
          ),
        }),
      }),
    );
  }
  return tools;
}
