import { agentTemplate, singleTurnTemplate } from '@lachesis/sdk/environment';
import { defineCommand } from 'citty';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fail } from '../../terminal/fail.ts';
import { quotePath } from '../../flags/engine.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';

const flags = {
  agent: { type: 'boolean', description: 'a template with tools and several turns' },
  folder: { type: 'string', description: 'where it goes (default: ./environments)' },
} as const;

export const envNewCommand = defineCommand({
  meta: { name: 'new', description: 'Write the file of a new environment.' },
  args: { name: { type: 'positional', required: true, description: 'its name, such as word-count' }, ...flags },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const { name, folder = 'environments' } = args;
    if (!/^[a-z][a-z0-9-]{0,63}$/.test(name)) {
      fail(
        `${JSON.stringify(name)} cannot be the name of an environment: small letters, digits and dashes, a letter first.`,
      );
    }
    const file = path.join(folder, `${name}.ts`);
    await mkdir(folder, { recursive: true });
    await writeFile(file, args.agent === true ? agentTemplate(name) : singleTurnTemplate(name), { flag: 'wx' }).catch(
      (error: NodeJS.ErrnoException) =>
        fail(
          error.code === 'EEXIST'
            ? `${file} is there already.`
            : `${file} cannot be written (${error.code ?? error.message}).`,
        ),
    );
    const shown = quotePath(file);
    process.stdout.write(
      `wrote ${shown}\n` +
        `  check it:    lachesis env check ${shown}\n` +
        `  look at it:  lachesis env process ${shown} --openai.base_url http://localhost:8001/v1\n` +
        `  train on it: lachesis env serve ${shown} --openai.base_url http://localhost:8001/v1\n` +
        `  it needs nothing installed here; an editor that is to know the types needs @lachesis/sdk and zod\n`,
    );
  },
});
