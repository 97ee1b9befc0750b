import { defineCommand } from 'citty';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { runArgument } from '../../flags/run-argument.ts';
import { serverFlags } from '../../flags/server.ts';

const flags = {
  step: { type: 'string', description: 'the weights that this step made (default: the newest)' },
  to: { type: 'string', description: 'folder to make (default: ./checkpoints/<hash of their path>)' },
  overwrite: { type: 'boolean', description: 'replace the folder if it is there' },
  'base-model': { type: 'string', description: 'name of the base model to write into adapter_config.json' },
  'engine-url': {
    type: 'string',
    description:
      'the Tinker server that keeps them (default: a local engine or, with TINKER_API_KEY, the managed service) [TINKER_BASE_URL]',
  },
  'allow-file-urls': { type: 'boolean', description: 'let the engine point to files of this machine, as TuFT does' },
  ...serverFlags,
} as const;

export const weightsDownloadCommand = defineCommand({
  meta: { name: 'download', description: 'Download what a run has learned, as a folder that PEFT loads.' },
  args: { run: { ...runArgument.run, description: `${runArgument.run.description}; or a tinker:// path` }, ...flags },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const step = readWholeNumber('step', args.step);
    // Loaded here, so that `--help` does not wait for it.
    const { downloadWeights } = await import('./fetch.ts');
    await downloadWeights({ ...args, step });
  },
});
