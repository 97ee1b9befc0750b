import { makeTinyModel } from '@lachesis/tinker/engine';
import { defineCommand } from 'citty';
import { failWithEngineError, homeFlag, jsonFlag, pythonFlag, quotePath, readMakeOptions } from '../../flags/engine.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';

const flags = {
  tokenizer: {
    type: 'string',
    default: 'trained',
    description: 'trained (a small vocabulary), qwen3 (the real one) or a folder with tokenizer.json',
  },
  vocabulary: { type: 'string', description: 'size of a trained vocabulary (default: 2048)' },
  hidden: { type: 'string', description: 'width of the model (default: 64)' },
  layers: { type: 'string', description: 'number of layers (default: 2)' },
  seed: { type: 'string', description: 'the same seed gives the same weights (default: 0)' },
  ...homeFlag,
  ...pythonFlag,
  ...jsonFlag,
} as const;

export const engineMakeTinyModelCommand = defineCommand({
  meta: { name: 'make-tiny-model', description: 'Make a small random Qwen3 that trains within seconds on a CPU.' },
  args: { directory: { type: 'positional', required: true, description: 'where it goes; empty or absent' }, ...flags },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const numbers = {
      vocabularySize: readWholeNumber('vocabulary', args.vocabulary),
      hiddenSize: readWholeNumber('hidden', args.hidden),
      layers: readWholeNumber('layers', args.layers),
      seed: readWholeNumber('seed', args.seed),
    };
    const given = Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined));
    const { directory } = await makeTinyModel({
      ...readMakeOptions(args),
      ...given,
      directory: args.directory,
      tokenizer: args.tokenizer,
    }).catch(failWithEngineError);
    process.stdout.write(
      args.json === true
        ? `${JSON.stringify({ model: directory })}\n`
        : `made ${directory}\n  train it: lachesis engine up --model ${quotePath(directory)}\n`,
    );
  },
});
