import { LOCAL_TENANT } from '@lachesis/protocol/names';
import type { ArgDef } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';

const text = (description: string) => ({ type: 'string', description }) as const;
const yes = (description: string) => ({ type: 'boolean', description }) as const;

export const DEFAULT_WORKERS = 4;

/** Where the rows are, and how many work on them; `lachesis worker` has them too. */
export const workFlags = {
  num_workers: text(
    `prompts at once in this process (default ${DEFAULT_WORKERS}); 0 leaves them to \`lachesis worker\``,
  ),
  api_key: text('key of the model server [OPENROUTER_API_KEY, OPENAI_API_KEY]; it is kept nowhere'),
  home: { type: 'string', description: 'folder of the SQLite database and the blobs [LACHESIS_HOME]' },
  'database-url': { type: 'string', description: 'postgres:// URL instead of SQLite [DATABASE_URL]' },
  tenant: { type: 'string', default: LOCAL_TENANT, description: 'whose run' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

/** Every flag under the name that Hermes' runner has it; each works with dashes too. */
export const batchFlags = {
  dataset_file: text('JSONL with a "prompt" in each row; optional "image", "cwd"'),
  batch_size: text('prompts in each file batch_<n>.jsonl'),
  run_name: text('its files are in data/<run_name>/'),
  distribution: text('from which toolsets are drawn (default "default"); see --list_distributions'),
  distributions_file: text('YAML of your own: name: { terminal: 80, web: 30 }'),
  list_distributions: yes('print the distributions, and what of them can be offered here'),
  record: {
    type: 'boolean',
    default: true,
    description: 'keep the conversations in the library too, as batch:<run_name>; --no-record keeps the files alone',
  },
  seed: text('of the draws (default 0)'),
  model: text('default anthropic/claude-sonnet-4.6'),
  base_url: text('OpenAI-compatible server (default https://openrouter.ai/api/v1)'),
  max_turns: text('calls of the model for each prompt (default 10)'),
  max_tokens: text('tokens of one reply'),
  max_samples: text('the first so many prompts'),
  ephemeral_system_prompt: text('the model reads it; no file has it'),
  prefill_messages_file: text('JSON array of messages before the prompt; no file has them'),
  reasoning_effort: text('none, minimal, low, medium, high, xhigh, max or ultra'),
  reasoning_disabled: yes('ask for no reasoning; wins over --reasoning_effort'),
  keep_without_reasoning: yes('keep rows in which no reply has any reasoning'),
  providers_allowed: text('comma list, for OpenRouter'),
  providers_ignored: text('comma list, for OpenRouter'),
  providers_order: text('comma list, for OpenRouter'),
  provider_sort: text('price, throughput or latency'),
  resume: yes('go on with a run; what is done is not paid again'),
  overwrite: yes('throw away the run of this name and its files'),
  max_attempts: text('of a prompt that fails (default 3)'),
  requests_per_minute: text('of all workers together'),
  max_cost: text('US dollars; nothing is asked above it'),
  prices: text('YAML of US dollars per million tokens (default prices.yaml in the home)'),
  sandbox: text('where tools run: namespace (default), container, local (no wall)'),
  toolsets: text('module that exports `toolsets`: more tools by the name of their toolset'),
  tools: text('YAML of what stands behind web, vision, image_gen, browser and MCP toolsets [LACHESIS_TOOLS]'),
  allow_missing_tools: yes('leave out toolsets that are not configured; every row says which were missing'),
  agent_command: text('a program is the agent: prompt in on stdin, conversation out on stdout'),
  agent_url: text('a server is the agent: the prompt is posted to it'),
  output_dir: text('where the folder <run_name> is made (default data)'),
  verbose: yes('one line for each prompt'),
  log_prefix_chars: text('characters of a prompt in such a line (default 100)'),
  ...workFlags,
} as const;

/** What was typed, under the known names. An option that does not exist ends the command. */
export function readFlags(
  flags: Readonly<Record<string, ArgDef>>,
  args: Readonly<Record<string, unknown>>,
  rawArgs: readonly string[],
): FlagReader {
  const dashed = Object.keys(flags).map((name) => [name.replaceAll('_', '-'), true]);
  refuseUnknownFlags({ ...flags, ...Object.fromEntries(dashed) }, rawArgs);
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
