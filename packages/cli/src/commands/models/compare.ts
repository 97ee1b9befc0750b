import { parseSectionFlags } from '@lachesis/sdk/config';
import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { modelsFlags } from '../../flags/library/models.ts';

const flags = {
  left: {
    type: 'positional',
    required: true,
    description: 'model to compare with: name, name@version, run:step, a tinker:// path, an id, or base',
  },
  right: { type: 'positional', required: true, description: 'model that should be better' },
  environment: {
    type: 'string',
    description: 'measure on the evaluation items of this environment; settings are --env.*',
  },
  dataset: { type: 'string', description: 'or on the rows of this data set: name or name@version' },
  reward: { type: 'string', description: 'what scores replies to the data set: a file.ts or an https:// address' },
  split: { type: 'string', description: 'rows of this split alone' },
  limit: { type: 'string', description: 'at most so many rows of the data set' },
  replies: { type: 'string', description: 'replies to each row, whose mean counts (default: 1)' },
  temperature: { type: 'string', description: 'sampling temperature of those replies (default: 1)' },
  'max-tokens': { type: 'string', description: 'tokens of a reply (default: 256)' },
  seed: { type: 'string', description: 'of those replies; both models get the same' },
  config: { type: 'string', description: 'YAML file with settings of the environment' },
  tokenizer: {
    type: 'string',
    description: 'folder or repository of the tokenizer (default: that of the base model)',
  },
  'engine-url': {
    type: 'string',
    description: 'Tinker server that has the weights (default: as for train; of a server its own) [TINKER_BASE_URL]',
  },
  record: {
    type: 'boolean',
    default: true,
    description: 'keep the result with the second model; --no-record leaves it',
  },
  ...modelsFlags,
} as const;

export const modelsCompareCommand = defineCommand({
  meta: {
    name: 'compare',
    description: 'Measure two models on the same items: paired differences with a 95 % interval.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    const { flags: settings, rest } = parseSectionFlags(rawArgs);
    refuseUnknownFlags(flags, rest);
    if ((args.environment === undefined) === (args.dataset === undefined)) {
      fail('say on what to measure: --environment name, or --dataset name@version.');
    }
    // Loaded here, so that `--help` does not wait for it.
    const { compareTwo } = await import('./compare-run.ts');
    await compareTwo({ ...args, settings });
  },
});
