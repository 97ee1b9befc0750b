/**
 * Which tools a toolset of that name holds, by the names that Hermes gives them. It says where a tool belongs, not that it is
 * there: what nobody hands in is not offered.
 */
export const STANDARD_TOOLSETS = Object.freeze({
  web: ['web_search', 'web_extract'],
  vision: ['vision_analyze'],
  image_gen: ['image_generate'],
  terminal: ['terminal', 'process'],
  file: ['read_file', 'write_file', 'patch', 'search_files'],
  code_execution: ['execute_code'],
  browser: [
    'browser_navigate',
    'browser_snapshot',
    'browser_click',
    'browser_type',
    'browser_scroll',
    'browser_back',
    'browser_press',
    'browser_get_images',
    'browser_vision',
    'browser_console',
    'browser_cdp',
    'browser_dialog',
    'web_search',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>);

/** Sorts tools, such as those of an MCP server, into the standard toolsets that they belong to; the others are left out. */
export function sortIntoToolsets<T extends { readonly name: string }>(
  tools: readonly T[],
): Record<string, readonly T[]> {
  const sorted: Record<string, readonly T[]> = {};
  for (const [toolset, names] of Object.entries<readonly string[]>(STANDARD_TOOLSETS)) {
    const members = tools.filter(({ name }) => names.includes(name));
    if (members.length > 0) sorted[toolset] = members;
  }
  return sorted;
}
