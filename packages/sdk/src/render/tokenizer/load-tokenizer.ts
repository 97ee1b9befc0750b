import { RenderError } from '../errors/render-error.ts';
import { detectFamily } from '../families/detect-family.ts';
import { type CompiledTemplate, compileTemplate } from '../template/compile-template.ts';
import type { HubProgress } from '../../hub/download-blob.ts';
import { findModelDirectory } from './find-model-directory.ts';
import { importNative } from './import-native.ts';
import { type HubCacheEntry, type ModelFiles, openDirectory, openHubCache, openUrl } from './model-files.ts';
import type { NativePackage, NativeTokenizer } from './native-package.ts';
import { type ModelConfig, readModelConfig } from './read-model-config.ts';
import { createTokenBytes } from './token-bytes.ts';
import type { Tokenizer } from './tokenizer.ts';

/** Where a tokenizer is: a folder, a model of the hub or of its cache, or a URL. */
export type LoadTokenizerOptions = (
  | { /** A folder with `tokenizer.json`. */ readonly directory: string }
  | {
      /** A folder with `tokenizer.json`, or the name of a model: from the cache of the hub, else from the hub. */ readonly model: string;
    }
  | { /** A model that `huggingface_hub` has downloaded. */ readonly hubCache: HubCacheEntry }
  | { /** An address under which `tokenizer.json` is served. */ readonly url: string }
) & {
  readonly fetch?: typeof fetch;
  /** For each file of a `url`. */
  readonly timeoutMs?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Told while files come from a hub. */
  readonly onProgress?: (progress: HubProgress) => void;
  readonly signal?: AbortSignal;
  /** Default: the optional package `tokenizers`. */
  readonly importTokenizers?: () => Promise<NativePackage>;
};

/** Loads a tokenizer with the chat templates of its model. Keep it: loading parses megabytes, encoding does not. */
export async function loadTokenizer(options: LoadTokenizerOptions): Promise<Tokenizer> {
  const native = await importNative(options.importTokenizers);
  const files = await openFiles(options);
  const config = await readModelConfig(files);
  const main = createNative(native, config.tokenizerJson, files);
  addConfiguredTokens(native, main, config);
  return assemble({ native, files, config, main });
}

async function openFiles(options: LoadTokenizerOptions): Promise<ModelFiles> {
  if ('directory' in options) return openDirectory(options.directory);
  if ('model' in options) return openDirectory(await findModelDirectory(options.model, options));
  if ('hubCache' in options) return openHubCache(options.hubCache, options.env ?? process.env);
  return openUrl({ url: options.url, fetch: options.fetch ?? fetch, timeoutMs: options.timeoutMs ?? 120_000 });
}

function createNative(native: NativePackage, json: string, files: ModelFiles): NativeTokenizer {
  try {
    const tokenizer = native.Tokenizer.fromString(json);
    // Some files carry the cutting and filling of their makers' last training run.
    tokenizer.disableTruncation();
    tokenizer.disablePadding();
    return tokenizer;
  } catch (cause) {
    throw new RenderError({ kind: 'bad-file', reason: `tokenizer.json in ${files.place} cannot be used.`, cause });
  }
}

/** `tokenizer_config.json` may know tokens that `tokenizer.json` does not; transformers adds them, so do we. */
function addConfiguredTokens(native: NativePackage, main: NativeTokenizer, config: ModelConfig): void {
  const missing = config.addedTokens.filter(({ text }) => main.tokenToId(text) === null);
  const added = missing.map(
    ({ text, isSpecial }) => new native.AddedToken(text, isSpecial, { normalized: !isSpecial }),
  );
  if (added.length > 0) main.addAddedTokens(added);
}

interface Parts {
  readonly native: NativePackage;
  readonly files: ModelFiles;
  readonly config: ModelConfig;
  readonly main: NativeTokenizer;
}

function assemble({ native, files, config, main }: Parts): Tokenizer {
  const usualTemplate = config.templates.get('default') ?? config.templates.values().next().value;
  const family = detectFamily(usualTemplate ?? '');
  const compiled = new Map<string, CompiledTemplate>();
  const readTemplateSource = createTemplateReader(config, files);
  let textOnly: NativeTokenizer | undefined;
  const stopTexts = [...family.stopTokens, config.specialTokens.get('eos_token') ?? ''];
  const findToken = (text: string): number | undefined => main.tokenToId(text) ?? undefined;

  return {
    place: files.place,
    family,
    vocabularySize: findVocabularySize(main, config),
    specialTokens: config.specialTokens,
    addedTokens: config.addedTokens,
    stopTokens: new Set(stopTexts.map(findToken).filter((id) => id !== undefined)),
    findToken,
    bytesOf: createTokenBytes({ ...config, findPiece: (token) => main.idToToken(token) }),
    async encode(text, options) {
      const encoding = await main.encode(text, null, { addSpecialTokens: options?.addSpecialTokens === true });
      return Int32Array.from(encoding.getIds());
    },
    async encodeWithOffsets(text) {
      const encoding = await main.encode(text, null, { addSpecialTokens: false });
      const offsets = encoding.getOffsets();
      return {
        tokens: Int32Array.from(encoding.getIds()),
        starts: Int32Array.from(offsets, (pair) => pair[0] ?? 0),
        ends: Int32Array.from(offsets, (pair) => pair[1] ?? 0),
      };
    },
    async encodeAsText(text) {
      // The native package cannot be told to leave added tokens alone, so a second tokenizer has none.
      textOnly ??= createNative(native, withoutAddedTokens(config.tokenizerJson), files);
      return Int32Array.from((await textOnly.encode(text, null, { addSpecialTokens: false })).getIds());
    },
    decode: (tokens, options) => main.decode(Array.from(tokens), options?.skipSpecialTokens === true),
    readTemplate(options) {
      const source = readTemplateSource(options);
      const known = compiled.get(source);
      if (known !== undefined) return known;
      const template = compileTemplate(source);
      compiled.set(source, template);
      return template;
    },
  };
}

function createTemplateReader(
  config: ModelConfig,
  files: ModelFiles,
): (options: { name?: string | undefined; hasTools: boolean }) => string {
  return ({ name, hasTools }) => {
    const wanted = name ?? (hasTools && config.templates.has('tool_use') ? 'tool_use' : 'default');
    const source = config.templates.get(wanted);
    if (source !== undefined) return source;
    throw new RenderError({
      kind: 'no-template',
      reason: `${files.place} has no chat template named ${wanted}; it has: ${[...config.templates.keys()].join(', ') || 'none'}.`,
      hint: 'Put a chat_template.jinja into the folder, or name another template.',
    });
  };
}

function withoutAddedTokens(tokenizerJson: string): string {
  const content = JSON.parse(tokenizerJson) as Record<string, unknown>;
  return JSON.stringify({ ...content, added_tokens: [], post_processor: null });
}

function findVocabularySize(main: NativeTokenizer, config: ModelConfig): number {
  return config.addedTokens.reduce((size, { id }) => Math.max(size, id + 1), main.getVocabSize(true));
}
