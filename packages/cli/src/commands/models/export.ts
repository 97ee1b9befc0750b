import { FLOAT_TYPES } from '@lachesis/tinker';
import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { modelsFlags, withModels } from '../../flags/library/models.ts';
import { modelArgument } from '../../flags/library/name-model.ts';
import { HAND_OFF_TARGETS } from './targets.ts';

const flags = {
  ...modelArgument,
  to: { type: 'string', description: `what will serve it: ${HAND_OFF_TARGETS.join(', ')}` },
  output: { type: 'string', alias: 'o', description: 'folder to make (default: ./exports/<name>-<version>)' },
  'base-folder': {
    type: 'string',
    description: 'folder of the base model (default: the model itself or the Hugging Face cache)',
  },
  type: {
    type: 'string',
    description: 'bf16, f16 or f32 for merged weights (default: as the base model has them)',
  },
  'no-merge': { type: 'boolean', description: 'the adapter alone' },
  overwrite: { type: 'boolean', description: 'replace the folders if they are there' },
  'engine-url': {
    type: 'string',
    description:
      'the Tinker server that keeps the weights (default: a local engine or, with TINKER_API_KEY, the managed service; of a server its own) [TINKER_BASE_URL]',
  },
  'allow-file-urls': { type: 'boolean', description: 'let the engine point to files of this machine, as TuFT does' },
  ...modelsFlags,
} as const;

export const modelsExportCommand = defineCommand({
  meta: {
    name: 'export',
    description:
      'Write the adapter and merged weights for vLLM, SGLang, Ollama or llama.cpp, with the commands that serve them.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags({ ...flags, o: flags.output }, rawArgs);
    const target = HAND_OFF_TARGETS.find((known) => known === args.to);
    if (target === undefined) {
      const given = args.to === undefined ? '' : `; ${JSON.stringify(args.to)} was given`;
      return fail(`say what will serve it: --to ${HAND_OFF_TARGETS.join(', --to ')}${given}.`);
    }
    const type = FLOAT_TYPES.find((known) => known === args.type?.toUpperCase());
    if (args.type !== undefined && type === undefined)
      fail(`--type is bf16, f16 or f32; ${JSON.stringify(args.type)} was given.`);
    await withModels(args, async (library) => {
      const { model } = await library.readModel(args.model);
      // Loaded here, so that `--help` does not wait for it.
      const { handOff } = await import('./hand-off.ts');
      // citty takes --no-merge for merge turned off.
      const wantsMerge = (args as Record<string, unknown>)['merge'] !== false && args['no-merge'] !== true;
      await handOff({ ...args, library, model, target, type, wantsMerge });
    });
  },
});
