import { RL_TOOL_NAMES } from '@lachesis/protocol';
import type { ControlClient, LibraryClient, RlTools } from '@lachesis/sdk';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { addPrompts } from './add-prompts.ts';
import { addResources } from './add-resources.ts';
import { addTools } from './add-tools.ts';
import { createEnvironmentTools } from './environment-tools.ts';
import { createImprovementTools } from './improvement-tools.ts';
import type { SkillSource } from './skill-source.ts';

export interface McpServerOptions {
  tools: RlTools;
  client: ControlClient;
  /** Of the same server. No data sets and no feedback when left out. */
  library?: LibraryClient | undefined;
  /** None when left out. */
  skills?: SkillSource | undefined;
  version: string;
  /** How often a call that is still going says so, to clients that asked to be told; default five seconds. */
  tickMs?: number | undefined;
}

const TICK_MS = 5_000;

const INSTRUCTIONS = [
  `Train language models with ${RL_TOOL_NAMES.length} tools, in this order: rl_list_environments, rl_select_environment,`,
  'rl_get_current_config and rl_edit_config, rl_test_inference, rl_start_training, rl_check_status, rl_get_results.',
  'rl_start_training, rl_test_inference and improve_start may cost money; rl_stop_training and improve_stop cannot be',
  'undone: ask the person first. improve_start learns from ratings and promotes a model only if it is better.',
  'env_source shows how an environment is written, env_check tries it without a model, rl_health_check says what is up.',
  'Logs, metrics and skills are resources: lachesis://runs/{run_id}/logs/{role} with role api, trainer or env,',
  'lachesis://runs/{run_id}/metrics, lachesis://runs/{run_id}/why (why it waits or does not learn), lachesis://skills/{name} (each skill is a prompt too); models, improvements, jobs and data sets too:',
  'lachesis://models, lachesis://improvements, lachesis://improvements/{id}, lachesis://jobs, lachesis://jobs/{name}, lachesis://datasets, lachesis://datasets/{name@version}/check.',
].join(' ');

/** The tools and resources for one client. Nothing is asked of the control server before the client asks. */
export function createMcpServer(options: McpServerOptions): McpServer {
  const { tools, client, library, skills, version, tickMs = TICK_MS } = options;
  const server = new McpServer(
    { name: 'lachesis', title: 'Lachesis', version },
    {
      capabilities: { tools: {}, resources: {}, ...(skills === undefined ? {} : { prompts: {} }) },
      instructions: INSTRUCTIONS,
    },
  );
  addTools({ server, tools, others: [...createImprovementTools(client), ...createEnvironmentTools(client)], tickMs });
  addResources({ server, client, library, skills });
  if (skills !== undefined) addPrompts(server, skills);
  return server;
}
