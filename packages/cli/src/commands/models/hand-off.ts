import type { ModelVersion } from '@lachesis/store';
import { type FLOAT_TYPES, createTinkerClient, downloadAdapter, mergeAdapter } from '@lachesis/tinker';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fail } from '../../terminal/fail.ts';
import { readHome } from '../../flags/engine.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { nameOf } from '../../flags/library/require-model.ts';
import { planHandOff, type HandOffCommands, type HandOffTarget } from './targets.ts';
import { findEngineUrl } from '../../flags/find-engine.ts';
import { writeJson } from '../../terminal/screen.ts';

type FloatType = (typeof FLOAT_TYPES)[number];

export interface HandOffOptions {
  model: ModelVersion;
  target: HandOffTarget;
  output?: string | undefined;
  'base-folder'?: string | undefined;
  type: FloatType | undefined;
  wantsMerge: boolean;
  overwrite?: boolean | undefined;
  'engine-url'?: string | undefined;
  'allow-file-urls'?: boolean | undefined;
  home?: string | undefined;
  json?: boolean | undefined;
}

/** Brings the adapter here, merges it into its base model, and says how to serve either. */
export async function handOff(options: HandOffOptions): Promise<void> {
  const { model, target, wantsMerge } = options;
  if (model.weightsPath === '')
    fail(`${nameOf(model)} is the base model ${model.baseModel}: there is nothing to export.`);
  const out = resolve(options.output ?? join('exports', `${model.name}-${model.version}`));
  const { signal } = listenForShutdown();
  const log = (text: string): void => void process.stderr.write(text);
  const base = await findBaseFolder(options);
  if (wantsMerge && base === undefined) {
    fail(
      `the files of the base model ${model.baseModel} are not here. Name their folder with --base-folder, get them with ` +
        `\`hf download ${model.baseModel}\`, or export the adapter alone with --no-merge.`,
    );
  }
  const adapter = join(out, 'adapter');
  await mkdir(out, { recursive: true });
  log(`downloading ${model.weightsPath}\n`);
  const downloaded = await downloadAdapter({
    path: model.weightsPath,
    destination: adapter,
    server: await findServer(options),
    overwrite: options.overwrite === true,
    allowFileUrls: options['allow-file-urls'] === true,
    baseModel: model.baseModel,
    signal,
  });
  const warnings = [...downloaded.warnings];
  const merged = wantsMerge && base !== undefined ? join(out, 'merged') : undefined;
  if (merged !== undefined && base !== undefined) {
    const made = await mergeAdapter({
      ...{ adapter, base, destination: merged, overwrite: options.overwrite === true, signal },
      ...(options.type === undefined ? {} : { type: options.type }),
      onProgress: createProgressLine(log),
    });
    warnings.push(...made.warnings.filter((warning) => !warnings.includes(warning)));
  }
  const name = `${model.name}-${model.version}`;
  const { rank } = downloaded;
  const commands = planHandOff({ target, name, out, adapter, merged, base: base ?? model.baseModel, rank });
  await writeHandOff({ out, model, commands });
  for (const warning of warnings) log(`lachesis: ${warning}\n`);
  if (options.json === true)
    writeJson({ model: nameOf(model), out, adapter, merged: merged ?? null, rank, warnings, steps: commands.steps });
  else process.stdout.write(describe({ model, adapter, merged, commands }));
}

/** One line that is written over in a terminal; a line at each tenth in a pipe. */
function createProgressLine(log: (text: string) => void): (progress: { done: number; total: number }) => void {
  let shown = -1;
  return ({ done, total }) => {
    const share = Math.floor((10 * done) / total);
    if (process.stderr.isTTY) log(`\rmerging ${done}/${total} tensors${done === total ? '\n' : ''}`);
    else if (share > shown) log(`merging ${done}/${total} tensors\n`);
    shown = Math.max(shown, share);
  };
}

async function findServer(options: HandOffOptions) {
  const url = await findEngineUrl(
    { tinker: { base_url: options['engine-url'] } },
    { home: readHome(options), given: process.env['TINKER_BASE_URL'], environment: process.env },
  );
  const { baseUrl } = createTinkerClient({ baseUrl: url });
  const key = process.env['TINKER_API_KEY'];
  return { baseUrl, ...(key === undefined || key === '' ? {} : { headers: () => ({ 'x-api-key': key }) }) };
}

/** The folder that was named, the model itself where it is one, or what `huggingface_hub` downloaded. */
async function findBaseFolder(options: HandOffOptions): Promise<string | undefined> {
  const { model, 'base-folder': given } = options;
  if (given !== undefined) {
    return existsSync(join(given, 'config.json'))
      ? resolve(given)
      : fail(`${given} holds no config.json: it is not a model folder.`);
  }
  if (existsSync(join(model.baseModel, 'config.json'))) return resolve(model.baseModel);
  const home = process.env['HF_HOME'] ?? join(homedir(), '.cache', 'huggingface');
  const cache = process.env['HF_HUB_CACHE'] ?? join(home, 'hub');
  const folder = join(cache, `models--${model.baseModel.replaceAll('/', '--')}`);
  const commit = await readFile(join(folder, 'refs', 'main'), 'utf8').catch(() => undefined);
  if (commit === undefined) return undefined;
  const snapshot = join(folder, 'snapshots', commit.trim());
  return existsSync(join(snapshot, 'config.json')) ? snapshot : undefined;
}

async function writeHandOff(options: { out: string; model: ModelVersion; commands: HandOffCommands }): Promise<void> {
  const { out, model, commands } = options;
  for (const [name, text] of Object.entries(commands.files)) await writeFile(join(out, name), text);
  const lines = commands.steps.map(({ what, command }) => `# ${what}\n${command}\n`);
  await writeFile(join(out, 'SERVE.txt'), `# ${nameOf(model)}, base ${model.baseModel}\n\n${lines.join('\n')}`);
}

function describe(options: {
  model: ModelVersion;
  adapter: string;
  merged: string | undefined;
  commands: HandOffCommands;
}): string {
  const { model, adapter, merged, commands } = options;
  return (
    `${nameOf(model)}\n  adapter  ${adapter}\n${merged === undefined ? '' : `  merged   ${merged}\n`}` +
    commands.steps.map(({ what, command }) => `${what}:\n  ${command}\n`).join('')
  );
}
