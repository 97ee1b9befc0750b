import { type BatchSettings, type BatchSettingsInput, batchSettingsSchema } from '@lachesis/data/batch';
import { readYamlFile } from '@lachesis/sdk/config';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fail } from '../../terminal/fail.ts';
import { OPENROUTER_URL } from '../../flags/model-server.ts';
import type { FlagReader } from './flags.ts';

const DEFAULT_MODEL = 'anthropic/claude-sonnet-4.6';

/** What `lachesis inference use` keeps; a model without its server, or the other way round, is somebody else's. */
function readInUse(flags: FlagReader): { base_url: string | undefined; model: string | undefined } {
  const { OPENAI_BASE_URL: url, OPENAI_MODEL: model } = process.env;
  const isMeant = (url ?? '') !== '' && flags.text('base_url') === undefined && flags.text('model') === undefined;
  return isMeant
    ? { base_url: url, model: model === '' ? undefined : model }
    : { base_url: undefined, model: undefined };
}

/** The settings of a job, from its flags. What is wrong ends the command with the name of the flag. */
export async function readBatchSettings(flags: FlagReader): Promise<BatchSettings> {
  const prefill = flags.text('prefill_messages_file');
  const distributions = flags.text('distributions_file');
  const toolsets = flags.text('toolsets');
  const tools = flags.text('tools') ?? (process.env['LACHESIS_TOOLS'] || undefined);
  const inUse = readInUse(flags);
  const given = {
    dataset_file: flags.text('dataset_file') ?? '',
    batch_size: flags.number('batch_size') ?? 0,
    distribution: flags.text('distribution'),
    distributions: distributions === undefined ? undefined : ((await readYaml(distributions)) as never),
    seed: flags.number('seed'),
    model: flags.text('model') ?? inUse.model ?? DEFAULT_MODEL,
    base_url: flags.text('base_url') ?? inUse.base_url ?? OPENROUTER_URL,
    max_turns: flags.number('max_turns'),
    max_tokens: flags.number('max_tokens'),
    ephemeral_system_prompt: flags.text('ephemeral_system_prompt'),
    prefill_messages: prefill === undefined ? undefined : await readPrefill(prefill),
    reasoning_effort: flags.text('reasoning_effort') as never,
    reasoning_disabled: flags.isSet('reasoning_disabled'),
    keep_without_reasoning: flags.isSet('keep_without_reasoning'),
    providers_allowed: flags.list('providers_allowed'),
    providers_ignored: flags.list('providers_ignored'),
    providers_order: flags.list('providers_order'),
    provider_sort: flags.text('provider_sort') as never,
    max_attempts: flags.number('max_attempts'),
    requests_per_minute: flags.number('requests_per_minute'),
    max_cost: flags.number('max_cost'),
    sandbox: flags.text('sandbox') as never,
    toolsets_file: toolsets === undefined ? undefined : resolve(toolsets),
    tools_file: tools === undefined ? undefined : resolve(tools),
    allow_missing_tools: flags.isSet('allow_missing_tools'),
    agent_command: flags.text('agent_command'),
    agent_url: flags.text('agent_url'),
  } satisfies { [Name in keyof BatchSettingsInput]-?: BatchSettingsInput[Name] | undefined };
  const { success, data, error } = batchSettingsSchema.safeParse(given);
  if (success) return data;
  const [issue] = error.issues;
  return fail(`--${issue?.path.join('.') ?? 'settings'}: ${issue?.message ?? 'not understood'}.`);
}

async function readYaml(path: string): Promise<unknown> {
  return readYamlFile(path).catch((error: Error) => fail(`${path} cannot be read: ${error.message}`));
}

async function readPrefill(path: string): Promise<never> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as never;
  } catch (error) {
    return fail(
      `--prefill_messages_file ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
