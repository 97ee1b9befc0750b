import { z } from 'zod';
import { RenderError } from '../errors/render-error.ts';
import type { ModelFiles } from './model-files.ts';

const tokenSchema = z.union([z.string(), z.looseObject({ content: z.string() })]);

const addedTokenSchema = z.looseObject({
  content: z.string(),
  special: z.boolean().default(false),
  normalized: z.boolean().optional(),
  lstrip: z.boolean().optional(),
  rstrip: z.boolean().optional(),
  single_word: z.boolean().optional(),
});

const configSchema = z.looseObject({
  added_tokens_decoder: z.record(z.string(), addedTokenSchema).optional(),
  extra_special_tokens: z.unknown().optional(),
  chat_template: z.union([z.string(), z.array(z.looseObject({ name: z.string(), template: z.string() }))]).nullish(),
});

const tokenizerFileSchema = z.looseObject({
  added_tokens: z.array(addedTokenSchema.extend({ id: z.number().int().nonnegative() })).default([]),
});

/** The attributes under which a template may ask for a special token. */
const SPECIAL_TOKEN_NAMES = [
  'bos_token',
  'eos_token',
  'unk_token',
  'sep_token',
  'pad_token',
  'cls_token',
  'mask_token',
];

export interface AddedToken {
  readonly id: number;
  readonly text: string;
  readonly isSpecial: boolean;
}

export interface ModelConfig {
  /** The text of `tokenizer.json`. */
  readonly tokenizerJson: string;
  readonly addedTokens: readonly AddedToken[];
  /** `bos_token` → `<s>`; only those the model has. */
  readonly specialTokens: ReadonlyMap<string, string>;
  /** By name; the usual one is `default`. */
  readonly templates: ReadonlyMap<string, string>;
}

export async function readModelConfig(files: ModelFiles): Promise<ModelConfig> {
  const tokenizerJson = await files.read('tokenizer.json');
  if (tokenizerJson === undefined) {
    throw new RenderError({
      kind: 'missing-file',
      reason: `There is no tokenizer.json in ${files.place}.`,
      hint: 'Name the folder that AutoTokenizer.save_pretrained wrote; a sentencepiece model has to be converted there first.',
    });
  }
  const tokenizerFile = readShape(files, 'tokenizer.json', tokenizerJson, tokenizerFileSchema);
  const config = readShape(
    files,
    'tokenizer_config.json',
    (await files.read('tokenizer_config.json')) ?? '{}',
    configSchema,
  );
  const oldMap = readShape(
    files,
    'special_tokens_map.json',
    (await files.read('special_tokens_map.json')) ?? '{}',
    z.looseObject({}),
  );

  const specialTokens = new Map<string, string>();
  const extra = typeof config.extra_special_tokens === 'object' ? config.extra_special_tokens : undefined;
  for (const source of [oldMap, Array.isArray(extra) ? {} : (extra ?? {}), config]) {
    for (const [name, value] of Object.entries(source)) {
      if (!SPECIAL_TOKEN_NAMES.includes(name) && source !== extra) continue;
      const token = tokenSchema.safeParse(value);
      if (token.success) specialTokens.set(name, typeof token.data === 'string' ? token.data : token.data.content);
      else if (source === config) specialTokens.delete(name);
    }
  }
  return {
    tokenizerJson,
    addedTokens: listAddedTokens(tokenizerFile.added_tokens, config.added_tokens_decoder ?? {}),
    specialTokens,
    templates: await readTemplates(files, config.chat_template ?? undefined),
  };
}

function listAddedTokens(
  own: readonly { id: number; content: string; special: boolean }[],
  configured: Readonly<Record<string, { content: string; special: boolean }>>,
): AddedToken[] {
  const tokens = new Map<string, AddedToken>();
  for (const { id, content, special } of own) tokens.set(content, { id, text: content, isSpecial: special });
  for (const [id, { content, special }] of Object.entries(configured)) {
    const known = tokens.get(content);
    tokens.set(content, {
      id: known?.id ?? Number(id),
      text: content,
      isSpecial: special || known?.isSpecial === true,
    });
  }
  return [...tokens.values()];
}

/** Template files win over the template in the configuration, as in transformers. */
async function readTemplates(
  files: ModelFiles,
  configured: string | readonly { name: string; template: string }[] | undefined,
): Promise<Map<string, string>> {
  const templates = new Map<string, string>();
  if (typeof configured === 'string') templates.set('default', configured);
  else for (const { name, template } of configured ?? []) templates.set(name, template);
  for (const name of await files.list('additional_chat_templates')) {
    if (!name.endsWith('.jinja')) continue;
    const text = await files.read(`additional_chat_templates/${name}`);
    if (text !== undefined) templates.set(name.slice(0, -'.jinja'.length), text);
  }
  const own = await files.read('chat_template.jinja');
  if (own !== undefined) templates.set('default', own);
  return templates;
}

function readShape<T>(files: ModelFiles, name: string, text: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new RenderError({ kind: 'bad-file', reason: `${name} in ${files.place} cannot be read.`, cause });
  }
}
