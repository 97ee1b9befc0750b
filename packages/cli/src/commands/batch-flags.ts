import type { ArgDef } from 'citty';
import { fail } from '../fail.ts';
import { refuseUnknownFlags } from '../setting-flags.ts';

/** Every flag under the name that Hermes' runner has it, and with dashes. */
function flag<D extends Omit<ArgDef, 'alias'>>(name: string, definition: D): D & { alias: string[] } {
  const dashed = name.replaceAll('_', '-');
  return { ...definition, alias: dashed === name ? [] : [dashed] };
}

const text = (name: string, description: string) => flag(name, { type: 'string', description } as const);
const yes = (name: string, description: string) => flag(name, { type: 'boolean', description } as const);

export const DEFAULT_WORKERS = 4;

/** Where the rows are, and how many work on them; `lachesis worker` has them too. */
export const workFlags = {
  num_workers: text(
    'num_workers',
    `prompts at once in this process (default ${DEFAULT_WORKERS}); 0 leaves them to \`lachesis worker\``,
  ),
  api_key: text('api_key', 'key of the model server [OPENROUTER_API_KEY, OPENAI_API_KEY]; it is kept nowhere'),
  home: { type: 'string', description: 'folder of the SQLite database and the blobs [LACHESIS_HOME]' },
  'database-url': { type: 'string', description: 'postgres:// URL instead of SQLite [DATABASE_URL]' },
  tenant: { type: 'string', default: 'local', description: 'whose run' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

export const batchFlags = {
  dataset_file: text('dataset_file', 'JSONL with a "prompt" in each row; optional "image", "cwd"'),
  batch_size: text('batch_size', 'prompts in each file batch_<n>.jsonl'),
  run_name: text('run_name', 'its files are in data/<run_name>/'),
  distribution: text('distribution', 'from which toolsets are drawn (default "default"); see --list_distributions'),
  distributions_file: text('distributions_file', 'YAML of your own: name: { terminal: 80, web: 30 }'),
  list_distributions: yes('list_distributions', 'print the distributions, and what of them can be offered here'),
  seed: text('seed', 'of the draws (default 0)'),
  model: text('model', 'default anthropic/claude-sonnet-4.6'),
  base_url: text('base_url', 'OpenAI-compatible server (default https://openrouter.ai/api/v1)'),
  max_turns: text('max_turns', 'calls of the model for each prompt (default 10)'),
  max_tokens: text('max_tokens', 'tokens of one reply'),
  max_samples: text('max_samples', 'the first so many prompts'),
  ephemeral_system_prompt: text('ephemeral_system_prompt', 'the model reads it; no file has it'),
  prefill_messages_file: text('prefill_messages_file', 'JSON array of messages before the prompt; no file has them'),
  reasoning_effort: text('reasoning_effort', 'none, minimal, low, medium, high, xhigh, max or ultra'),
  reasoning_disabled: yes('reasoning_disabled', 'ask for no reasoning; wins over --reasoning_effort'),
  keep_without_reasoning: yes('keep_without_reasoning', 'keep rows in which no reply has any reasoning'),
  providers_allowed: text('providers_allowed', 'comma list, for OpenRouter'),
  providers_ignored: text('providers_ignored', 'comma list, for OpenRouter'),
  providers_order: text('providers_order', 'comma list, for OpenRouter'),
  provider_sort: text('provider_sort', 'price, throughput or latency'),
  resume: yes('resume', 'go on with a run; what is done is not paid again'),
  overwrite: yes('overwrite', 'throw away the run of this name and its files'),
  max_attempts: text('max_attempts', 'of a prompt that fails (default 3)'),
  requests_per_minute: text('requests_per_minute', 'of all workers together'),
  max_cost: text('max_cost', 'US dollars; nothing is asked above it'),
  prices: text('prices', 'YAML of US dollars per million tokens (default prices.yaml in the home)'),
  sandbox: text('sandbox', 'where tools run: namespace (default), container, local (no wall)'),
  toolsets: text('toolsets', 'module that exports `toolsets`: more tools by the name of their toolset'),
  agent_command: text('agent_command', 'a program is the agent: prompt in on stdin, conversation out on stdout'),
  agent_url: text('agent_url', 'a server is the agent: the prompt is posted to it'),
  output_dir: text('output_dir', 'where the folder <run_name> is made (default data)'),
  verbose: yes('verbose', 'one line for each prompt'),
  log_prefix_chars: text('log_prefix_chars', 'characters of a prompt in such a line (default 100)'),
  ...workFlags,
} as const;

/** What was typed, under the known names. An option that does not exist ends the command. */
export function readFlags(
  flags: Readonly<Record<string, ArgDef>>,
  args: Readonly<Record<string, unknown>>,
  rawArgs: readonly string[],
): FlagReader {
  const names = Object.entries(flags).flatMap(([name, definition]) => [
    name,
    ...('alias' in definition && Array.isArray(definition.alias) ? definition.alias : []),
  ]);
  refuseUnknownFlags(Object.fromEntries(names.map((name) => [name, true])), rawArgs);
  const read = (name: string): string | undefined => {
    const value = args[name];
    return typeof value === 'string' ? value : undefined;
  };
  const number = (name: string): number | undefined => {
    const value = read(name);
    if (value === undefined) return undefined;
    if (value.trim() === '' || !Number.isFinite(Number(value))) {
      fail(`--${name} wants a number, and ${JSON.stringify(value)} was given.`);
    }
    return Number(value);
  };
  return {
    text: read,
    number,
    isSet: (name) => args[name] === true || args[name] === 'true' || args[name] === 'True',
    list: (name) =>
      read(name)
        ?.split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
  };
}

export interface FlagReader {
  text(name: string): string | undefined;
  number(name: string): number | undefined;
  isSet(name: string): boolean;
  list(name: string): string[] | undefined;
}
