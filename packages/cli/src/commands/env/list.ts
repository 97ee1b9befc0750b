import { discoverEnvironments, ENVIRONMENT_ALIASES } from '@lachesis/sdk/environment';
import { defineCommand } from 'citty';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { discoveryOptions, failWithEnvironmentError } from '../../flags/environment.ts';

const flags = { json: { type: 'boolean', description: 'print JSON' } } as const;

const listAliases = (name: string): string[] =>
  Object.keys(ENVIRONMENT_ALIASES).filter((alias) => ENVIRONMENT_ALIASES[alias] === name);

export const envListCommand = defineCommand({
  meta: {
    name: 'list',
    description: 'List environments in ./environments, in installed packages and in LACHESIS_ENV_PATH; none is run.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const found = await discoverEnvironments(discoveryOptions).catch(failWithEnvironmentError);
    if (args.json === true) {
      process.stdout.write(`${JSON.stringify(found.map((each) => ({ ...each, aliases: listAliases(each.name) })))}\n`);
      return;
    }
    const width = Math.max(0, ...found.map(({ name }) => name.length));
    process.stdout.write(
      found.length === 0
        ? 'no environment was found; make one with `lachesis env new <name>`\n'
        : found.map(({ name, description }) => `${name.padEnd(width)}  ${description}\n`).join(''),
    );
  },
});
