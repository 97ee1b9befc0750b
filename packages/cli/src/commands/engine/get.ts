import { getSmolLm2 } from '@lachesis/tinker/engine';
import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { failWithEngineError, homeFlag, jsonFlag, pythonFlag, quotePath, readMakeOptions } from '../../flags/engine.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';

const flags = {
  to: { type: 'string', description: 'where it goes (default: engine/models in the home)' },
  ...homeFlag,
  ...pythonFlag,
  ...jsonFlag,
} as const;

export const engineGetCommand = defineCommand({
  meta: { name: 'get', description: 'Get a real small model: smollm2 (SmolLM2-135M-Instruct, 93 MB to download).' },
  args: { name: { type: 'positional', required: true, description: 'smollm2' }, ...flags },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    if (args.name !== 'smollm2') fail(`there is no model ${JSON.stringify(args.name)} to get. There is: smollm2.`);
    const { directory } = await getSmolLm2({
      ...readMakeOptions(args),
      ...(args.to === undefined ? {} : { directory: args.to }),
    }).catch(failWithEngineError);
    process.stdout.write(
      args.json === true
        ? `${JSON.stringify({ model: directory })}\n`
        : `SmolLM2-135M-Instruct is in ${directory}\n  train it: lachesis engine up --model ${quotePath(directory)}\n`,
    );
  },
});
