import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { readYamlFile } from '../../config/read-yaml-file.ts';
import { ConfigError } from '../../config/config-error.ts';

/** The variable with the path of the file; a project file sets it. */
const TOOLS_VARIABLE = 'LACHESIS_TOOLS';

const address = z.url({ protocol: /^https?$/, error: 'an address such as http://localhost:11434/v1 is wanted' });
const variable = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*$/, 'the name of a variable is wanted, such as OPENAI_API_KEY: keys are not kept in files');

const SEARCH_PROVIDERS = ['tavily', 'brave', 'exa', 'searxng'] as const;
const providerName = z.enum(SEARCH_PROVIDERS);
const search = z.union(
  [
    providerName.transform((provider) => ({ provider, base_url: undefined, api_key_env: undefined })),
    z
      .string()
      .regex(/^corpus:.+/)
      .transform((text) => ({ provider: 'corpus' as const, folder: text.slice('corpus:'.length) })),
    z.strictObject({ provider: providerName, base_url: address.optional(), api_key_env: variable.optional() }),
  ],
  { error: `${SEARCH_PROVIDERS.join(', ')} or corpus:<folder> is wanted` },
);

const server = z.strictObject({
  /** OpenAI-compatible, with its `/v1`. */
  base_url: address,
  model: z.string().min(1),
  api_key_env: variable.optional(),
});

const mcpServer = z.union(
  [
    z.strictObject({
      command: z.string().min(1),
      args: z.array(z.string()).default([]),
      /** Variables that it gets besides PATH, HOME and the like. */
      pass_env: z.array(variable).default([]),
      cwd: z.string().optional(),
      include: z.array(z.string()).optional(),
    }),
    z.strictObject({ url: address, api_key_env: variable.optional(), include: z.array(z.string()).optional() }),
  ],
  { error: '{ command: …, args: […] } or { url: … } is wanted' },
);

/** What stands behind the toolsets. Keys are named, and never in it. */
export const toolsSettingsSchema = z.strictObject({
  search: search.optional(),
  vision: server.optional(),
  image_gen: server.optional(),
  browser: z.strictObject({ executable: z.string().min(1).optional() }).optional(),
  /** Each is a toolset of its name. */
  mcp: z.record(z.string().regex(/^[a-z][a-z0-9_]*$/, 'small letters, digits and _'), mcpServer).default({}),
});

export type ToolsSettings = z.infer<typeof toolsSettingsSchema>;
export type McpServerSettings = ToolsSettings['mcp'][string];

/** What `--tools` named, for everything that this process opens: environments are opened in many places, and by authors. */
export function useToolsFile(file: string | undefined): void {
  if (file !== undefined) process.env[TOOLS_VARIABLE] = resolve(file);
}

/**
 * Reads the settings out of a file: the section `tools`, or the whole file where it has none. Paths are from the folder of the file on.
 * Without a file nothing is configured but what keys in the environment say.
 */
export async function readToolsSettings({
  file,
  env = process.env,
}: { file?: string | undefined; env?: Readonly<Record<string, string | undefined>> } = {}): Promise<ToolsSettings> {
  const path = file ?? (env[TOOLS_VARIABLE] === '' ? undefined : env[TOOLS_VARIABLE]);
  if (path === undefined) return toolsSettingsSchema.parse({});
  const content = await readYamlFile(path, { option: file === undefined ? TOOLS_VARIABLE : '--tools' });
  const isProjectFile = typeof content === 'object' && content !== null && 'tools' in content;
  const { success, data, error } = toolsSettingsSchema.safeParse(isProjectFile ? content.tools : content);
  if (!success) {
    const [issue] = error.issues;
    const place = ['tools', ...(issue?.path ?? [])].join('.');
    throw new ConfigError({
      kind: 'bad-value',
      reason: `${path}: ${place}: ${issue?.message ?? 'not understood'}.`,
      hint: 'docs/guides/tools.md has every setting.',
    });
  }
  return data.search?.provider === 'corpus'
    ? { ...data, search: { ...data.search, folder: resolve(dirname(path), data.search.folder) } }
    : data;
}
