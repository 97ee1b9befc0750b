import { describeFields, type SchemaField } from '../../config/describe-fields.ts';
import { environmentSchema } from '../config/resolve-environment-config.ts';
import type { EnvironmentDefinition } from '../definition.ts';

/** The settings of an environment, its own first. */
export function listEnvironmentFields(definition: EnvironmentDefinition): SchemaField[] {
  const own = new Set(Object.keys(definition.configSchema.shape));
  const fields = describeFields(environmentSchema(definition)).map((field) => withOwnDefault(field, definition));
  const isOwn = ({ path, name }: SchemaField): boolean => path.startsWith('env.') && own.has(name);
  return [...fields.filter(isOwn), ...fields.filter((field) => !isOwn(field))];
}

function withOwnDefault(field: SchemaField, { defaults }: EnvironmentDefinition): SchemaField {
  const given = field.path.startsWith('env.') ? defaults[field.name] : undefined;
  return given === undefined ? field : { ...field, default: given };
}

/** The page of `lachesis env serve <name> --help`. */
export function printEnvironmentHelp(definition: EnvironmentDefinition): string {
  const rows = listEnvironmentFields(definition).map(({ path, type, default: value, description }) => ({
    flag: `--${path} <${type}>`,
    text: `${description}${value === undefined || value === '' ? '' : ` (default ${JSON.stringify(value)})`}`,
  }));
  const width = Math.min(44, Math.max(...rows.map(({ flag }) => flag.length)));
  return (
    `${definition.name}: ${definition.description}\n\n` +
    `  serve      roll out for the trainer of a run\n` +
    `  process    write groups to a file; no trainer needed\n` +
    `  evaluate   grade the evaluation split; --models a,b,c compares\n\n` +
    `  --config <file.yaml>  --json  --models <a,b,c>\n\n` +
    `${rows.map(({ flag, text }) => `  ${flag.padEnd(width)}  ${text}`).join('\n')}\n\n` +
    `Command line goes before file, file before variables (LACHESIS_ENV_GROUP_SIZE), variables before defaults.\n`
  );
}
