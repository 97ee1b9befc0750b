import { listTaughtExamples, resolveEnvironmentConfig, type TaughtExample } from '@lachesis/sdk/environment';
import { readYamlFile } from '@lachesis/sdk/config';
import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import {
  environmentArgument,
  failWithEnvironmentError,
  findPythonFile,
  loadDefinition,
  readEnvironmentArguments,
} from '../../flags/environment.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { placeRecipes } from './place-recipes.ts';

const flags = {
  config: { type: 'string', description: 'YAML file with the section env' },
  count: { type: 'string', description: 'how many (default: 16)' },
} as const;

export const envExamplesCommand = defineCommand({
  meta: {
    name: 'examples',
    description:
      'Print prompts of training with a reply of the right form each, as JSON lines: what a warm-up teaches.',
  },
  args: { ...environmentArgument, ...flags },
  async run({ args, rawArgs }) {
    const count = readWholeNumber('count', args.count) ?? 16;
    const withoutCount = rawArgs.filter(
      (argument, index) => !argument.startsWith('--count') && rawArgs[index - 1] !== '--count',
    );
    const { name, flags: given, config } = readEnvironmentArguments(await placeRecipes(withoutCount));
    const yaml = config === undefined ? {} : await readYamlFile(config);
    const examples = await listExamples({ environment: name, flags: given, yaml, count }).catch((error: unknown) =>
      failWithEnvironmentError(error),
    );
    for (const example of examples) process.stdout.write(`${JSON.stringify(example)}\n`);
  },
});

export interface ListExamplesOptions {
  /** A name or a file. */
  readonly environment: string;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly yaml: unknown;
  readonly count: number;
  readonly signal?: AbortSignal;
}

/** Loads an environment and lets it give examples. */
export async function listExamples(options: ListExamplesOptions): Promise<TaughtExample[]> {
  const { environment, flags: given, yaml, count, signal = new AbortController().signal } = options;
  if ((await findPythonFile(environment)) !== undefined)
    return fail(
      `${environment} is written in Python and has no examples to teach. Go without: --tinker.warm_up none; or begin with a model: --from.`,
    );
  const definition = await loadDefinition(environment);
  const { values } = resolveEnvironmentConfig({ definition, flags: given, yaml, env: process.env });
  const log = (text: string): void => void process.stderr.write(`${text}\n`);
  const opened = await definition.open({ config: values.env, signal, log });
  try {
    return await listTaughtExamples(opened, { count, signal });
  } finally {
    await opened.close();
  }
}
