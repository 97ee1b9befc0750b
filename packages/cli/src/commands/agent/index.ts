import { defineCommand } from 'citty';
import { readSettingFlags } from '../../flags/setting-flags.ts';

const DEFAULT_CONTROL_URL = 'http://localhost:8080';
/** Days of training are some dozens of looks at it. */
const DEFAULT_MAX_TURNS = 200;

const flags = {
  interactive: { type: 'boolean', description: 'go on asking for tasks; so without a task in a terminal' },
  'base-url': {
    type: 'string',
    description:
      'OpenAI-compatible server of the model, with /v1 [LACHESIS_AGENT_BASE_URL, OPENAI_BASE_URL]; its key is LACHESIS_AGENT_API_KEY or OPENAI_API_KEY',
  },
  model: { type: 'string', description: 'the model (default: the only one of the server) [LACHESIS_AGENT_MODEL]' },
  server: {
    type: 'string',
    description: `address of the control server (default: ${DEFAULT_CONTROL_URL}) [RL_API_URL, LACHESIS_URL]`,
  },
  token: {
    type: 'string',
    description: 'token for the control server (default: that of the home) [LACHESIS_TOKEN]',
  },
  project: { type: 'string', description: 'folder the agent reads in (default: the current one)' },
  toolsets: {
    type: 'string',
    description:
      'comma list of further tools: web, vision, terminal, file, memory, …; each call is asked about, and commands run in a sandbox',
  },
  tools: { type: 'string', description: 'YAML of what stands behind these toolsets [LACHESIS_TOOLS]' },
  yes: { type: 'boolean', description: 'allow everything it would ask about: files, costs, ends' },
  'max-turns': { type: 'string', description: `calls of the model for a task (default: ${DEFAULT_MAX_TURNS})` },
  'max-tokens': { type: 'string', description: 'tokens for a task, all calls together' },
  minutes: { type: 'string', description: 'time for a task' },
  record: {
    type: 'boolean',
    default: true,
    description: 'keep what it does as a trajectory',
    negativeDescription: 'record nothing',
  },
  home: { type: 'string', description: 'folder of Lachesis, where it is recorded [LACHESIS_HOME]' },
  'list-environments': { type: 'boolean', description: 'list the environments of the control server, and end' },
  'check-server': { type: 'boolean', description: 'ask whether both servers answer, and end' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

export const agentCommand = defineCommand({
  meta: {
    name: 'agent',
    description: 'Give a task in words to an agent that trains: lachesis agent "Train Qwen3-8B on GSM8K".',
  },
  args: { task: { type: 'positional', required: false, description: 'what to do, in words' }, ...flags },
  async run({ args, rawArgs }) {
    readSettingFlags({}, {}, rawArgs, Object.keys(flags));
    // Loaded here, so that `--help` does not wait for it.
    const { runAgentCommand } = await import('./run.ts');
    await runAgentCommand(args, { controlUrl: DEFAULT_CONTROL_URL, maxTurns: DEFAULT_MAX_TURNS });
  },
});
