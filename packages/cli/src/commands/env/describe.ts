import { listEnvironmentFields, printEnvironmentHelp } from '@lachesis/sdk/environment';
import { defineCommand } from 'citty';
import {
  environmentArgument,
  failWithEnvironmentError,
  loadDefinition,
  readEnvironmentArguments,
} from '../../flags/environment.ts';

export const envDescribeCommand = defineCommand({
  meta: { name: 'describe', description: 'List the settings of an environment, its own first.' },
  args: { ...environmentArgument, json: { type: 'boolean', description: 'print JSON' } },
  async run({ rawArgs }) {
    const { name, json } = readEnvironmentArguments(rawArgs);
    const definition = await loadDefinition(name).catch(failWithEnvironmentError);
    const { name: own, description } = definition;
    process.stdout.write(
      json
        ? `${JSON.stringify({ name: own, description, fields: listEnvironmentFields(definition) })}\n`
        : printEnvironmentHelp(definition),
    );
  },
});
