import type { RegisteredModel } from '@lachesis/protocol';
import { type FLOAT_TYPES, mergeAdapter } from '@lachesis/tinker';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fail } from '../../terminal/fail.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import type { ModelLibrary } from '../../flags/library/models.ts';
import { nameOf } from '../../flags/library/name-model.ts';
import { planHandOff, type HandOffCommands, type HandOffTarget } from './targets.ts';
import { writeJson } from '../../terminal/screen.ts';

type FloatType = (typeof FLOAT_TYPES)[number];

export interface HandOffOptions {
  library: ModelLibrary;
  model: RegisteredModel;
  target: HandOffTarget;
  output?: string | undefined;
  'base-folder'?: string | undefined;
  type: FloatType | undefined;
  wantsMerge: boolean;
  overwrite?: boolean | undefined;
  'engine-url'?: string | undefined;
  'allow-file-urls'?: boolean | undefined;
  json?: boolean | undefined;
}

/** Brings the adapter here, merges it into its base model, and says how to serve either. */
export async function handOff(options: HandOffOptions): Promise<void> {
  const { model, target, wantsMerge } = options;
  if (model.weights_path === '')
    fail(`${nameOf(model)} is the base model ${model.base_model}: there is nothing to export.`);
  const out = resolve(options.output ?? join('exports', `${model.name}-${model.version}`));
  const { signal } = listenForShutdown();
  const log = (text: string): void => void process.stderr.write(text);
  const base = await findBaseFolder(options);
  if (wantsMerge && base === undefined) {
    fail(
      `the files of the base model ${model.base_model} are not here. Name their folder with --base-folder, get them with ` +
        `\`hf download ${model.base_model}\`, or export the adapter alone with --no-merge.`,
    );
  }
  const adapter = join(out, 'adapter');
  await mkdir(out, { recursive: true });
  log(`downloading ${model.weights_path}\n`);
  const downloaded = await options.library.bringAdapter(model.model_version_id, {
    ...{ destination: adapter, overwrite: options.overwrite === true, signal },
    ...{ 'engine-url': options['engine-url'], 'allow-file-urls': options['allow-file-urls'] },
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
  const commands = planHandOff({ target, name, out, adapter, merged, base: base ?? model.base_model, rank });
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

/** The folder that was named, the model itself where it is one, or what `huggingface_hub` downloaded. */
async function findBaseFolder(options: HandOffOptions): Promise<string | undefined> {
  const { model, 'base-folder': given } = options;
  if (given !== undefined) {
    return existsSync(join(given, 'config.json'))
      ? resolve(given)
      : fail(`${given} holds no config.json: it is not a model folder.`);
  }
  if (existsSync(join(model.base_model, 'config.json'))) return resolve(model.base_model);
  const home = process.env['HF_HOME'] ?? join(homedir(), '.cache', 'huggingface');
  const cache = process.env['HF_HUB_CACHE'] ?? join(home, 'hub');
  const folder = join(cache, `models--${model.base_model.replaceAll('/', '--')}`);
  const commit = await readFile(join(folder, 'refs', 'main'), 'utf8').catch(() => undefined);
  if (commit === undefined) return undefined;
  const snapshot = join(folder, 'snapshots', commit.trim());
  return existsSync(join(snapshot, 'config.json')) ? snapshot : undefined;
}

async function writeHandOff(options: {
  out: string;
  model: RegisteredModel;
  commands: HandOffCommands;
}): Promise<void> {
  const { out, model, commands } = options;
  for (const [name, text] of Object.entries(commands.files)) await writeFile(join(out, name), text);
  const lines = commands.steps.map(({ what, command }) => `# ${what}\n${command}\n`);
  await writeFile(join(out, 'SERVE.txt'), `# ${nameOf(model)}, base ${model.base_model}\n\n${lines.join('\n')}`);
}

function describe(options: {
  model: RegisteredModel;
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
