import {
  analyzeFiles,
  type CompressFilesOptions,
  CompressionError,
  type CompressionSettings,
  compressFiles,
  createExtractiveSummarizer,
  createModelSummarizer,
  loadTokenCounter,
  readCompressionSettings,
  type Summarizer,
  type TokenCounter,
} from '@lachesis/data';
import { ConfigError, readYamlFile } from '@lachesis/sdk/config';
import { defineCommand } from 'citty';
import { existsSync } from 'node:fs';
import { EXIT_CODES } from '../../terminal/exit-codes.ts';
import { fail } from '../../terminal/fail.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { limitHeapGrowth } from '../../limit-heap.ts';
import { findSummarizerKey } from './key.ts';
import { createCompressProgress } from './progress.ts';
import { describeOutlook, describeReport, toJsonReport } from './report.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { needFile, readWholeNumber } from '../../flags/read-value.ts';

const DEFAULT_CONFIG = 'configs/trajectory_compression.yaml';
const DEFAULT_SEED = 42;
const SUMMARIZERS = ['model', 'extractive'] as const;

// The names with underscores are those of the files and scripts people have; each works with dashes too.
const flags = {
  input: { type: 'string', required: true, description: 'a file of JSON lines, or a folder with .jsonl files' },
  output: { type: 'string', description: 'file or folder to write; the name of the input with _compressed otherwise' },
  config: { type: 'string', description: `a YAML file of settings; ${DEFAULT_CONFIG} when it is there` },
  target_max_tokens: { type: 'string', description: 'what a row may take (default: 15250)' },
  tokenizer: {
    type: 'string',
    description: 'a folder with tokenizer.json, a model that was downloaded, or characters/4 for an estimate',
  },
  sample_percent: { type: 'string', description: 'take so many of a hundred rows, of each file' },
  seed: { type: 'string', description: `of the sample (default: ${DEFAULT_SEED})` },
  dry_run: { type: 'boolean', description: 'count and say what would be done; write nothing and ask nobody' },
  summarizer: {
    type: 'string',
    description: 'model: any OpenAI-compatible server; extractive: sentences of the turns, without a model',
  },
  model: { type: 'string', description: 'the model that summarises' },
  base_url: { type: 'string', description: 'its server, with /v1' },
  max_passes: { type: 'string', description: 'summaries for a row that does not fit yet (default: 4)' },
  max_concurrent_requests: { type: 'string', description: 'rows worked on at once (default: 50)' },
  timeout: { type: 'string', description: 'seconds that one row may take (default: 300)' },
  json: { type: 'boolean', description: 'print the result for programs' },
} as const;

const dashed = Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name.replaceAll('_', '-'), flag]));

type Args = { readonly [name in keyof typeof flags]?: string | boolean | undefined };

export const compressCommand = defineCommand({
  meta: { name: 'compress', description: 'Make long trajectories fit: summarise the middle, keep both ends.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags({ ...flags, ...dashed }, rawArgs);
    limitHeapGrowth();
    try {
      await compress(args);
    } catch (error) {
      if (CompressionError.isInstance(error) || ConfigError.isInstance(error)) fail(error.message);
      throw error;
    }
  },
});

async function compress(args: Args): Promise<void> {
  const isJson = args.json === true;
  needFile(String(args.input), '--input');
  const settings = await readSettings(args);
  const { counter, note } = await loadTokenCounter({
    name: settings.tokenizerName,
    isAsked: args.tokenizer !== undefined,
  });
  if (note !== undefined) process.stderr.write(`${note}\n`);
  const { signal, hurry } = listenForShutdown();
  const work = {
    ...{ input: String(args.input), output: readText(args.output), settings, counter, signal },
    sample: readSample(args),
  };
  if (args.dry_run === true) {
    const outlook = await analyzeFiles(work);
    process.stdout.write(isJson ? `${JSON.stringify(outlook)}\n` : describeOutlook(outlook, counter.name));
    return;
  }
  await run({ ...work, summarizer: chooseSummarizer(args, settings, counter), hurry }, isJson);
}

async function run(options: CompressFilesOptions, isJson: boolean): Promise<void> {
  const progress = createCompressProgress({ stream: process.stderr });
  const report = await compressFiles({ ...options, onProgress: progress.show }).finally(progress.end);
  process.stdout.write(isJson ? `${toJsonReport(report)}\n` : describeReport(report));
  if (!report.isDone) process.exitCode = EXIT_CODES.interrupted;
  // Who runs this in a script must see that rows are not as they should be.
  else if (report.sums.failed > 0 || report.sums.unreadableLines > 0) process.exitCode = EXIT_CODES.failed;
}

async function readSettings(args: Args): Promise<CompressionSettings> {
  const given = readText(args.config);
  const path = given ?? (existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : undefined);
  const file = readCompressionSettings(path === undefined ? {} : await readYamlFile(path), path);
  const number = (name: keyof typeof flags): number | undefined => {
    const value = readWholeNumber(name, readText(args[name]));
    return value === 0 ? fail(`--${name} wants a number above 0.`) : value;
  };
  return {
    ...file,
    targetMaxTokens: number('target_max_tokens') ?? file.targetMaxTokens,
    maxPasses: number('max_passes') ?? file.maxPasses,
    maxConcurrentRequests: number('max_concurrent_requests') ?? file.maxConcurrentRequests,
    rowTimeoutSeconds: number('timeout') ?? file.rowTimeoutSeconds,
    tokenizerName: readText(args.tokenizer) ?? file.tokenizerName,
    model: readText(args.model) ?? file.model,
    baseUrl: readText(args.base_url) ?? file.baseUrl,
  };
}

function readSample(args: Args): CompressFilesOptions['sample'] {
  const seed = readWholeNumber('seed', readText(args.seed)) ?? DEFAULT_SEED;
  const text = readText(args.sample_percent);
  if (text === undefined) return undefined;
  const percent = Number(text);
  if (text === '' || !(percent > 0 && percent <= 100))
    fail(`--sample_percent wants a number above 0 and up to 100, and ${JSON.stringify(text)} was given.`);
  return { percent, seed };
}

function chooseSummarizer(args: Args, settings: CompressionSettings, counter: TokenCounter): Summarizer {
  const wanted = readText(args.summarizer) ?? 'model';
  const kind =
    SUMMARIZERS.find((each) => each === wanted) ??
    fail(`--summarizer wants ${SUMMARIZERS.join(' or ')}, and ${JSON.stringify(wanted)} was given.`);
  if (kind === 'extractive') return createExtractiveSummarizer({ counter });
  const apiKey = findSummarizerKey(settings, process.env);
  if (apiKey === undefined && settings.baseUrl.startsWith('https://')) {
    fail(
      `${settings.apiKeyEnv} is not set, and ${new URL(settings.baseUrl).host} wants a key. Set it with \`lachesis config set ${settings.apiKeyEnv}\`, name a server of your own with --base_url, or take --summarizer extractive, which needs none.`,
    );
  }
  return createModelSummarizer({ settings, apiKey });
}

const readText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
