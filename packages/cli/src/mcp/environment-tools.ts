import { environmentCheckSchema, environmentSourceSchema } from '@lachesis/protocol';
import { rl_health_check as rlHealthCheck, type ControlClient } from '@lachesis/sdk';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { answerTool, describeShape, type FurtherTool } from './further-tool.ts';

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const NAMED: Tool['inputSchema'] = {
  type: 'object',
  properties: { name: { type: 'string', description: 'Name of an environment as rl_list_environments gave it.' } },
  required: ['name'],
};

/** Looking into environments and around the server: what an agent without files and a shell would miss. */
export function createEnvironmentTools(client: ControlClient): FurtherTool[] {
  const title = { source: 'Read an environment', check: 'Check an environment', health: 'Check the server' };
  return [
    {
      listed: {
        name: 'env_source',
        title: title.source,
        description:
          'Read the file an environment is written in: how its tasks are made and how replies are scored. A long one is cut.',
        inputSchema: NAMED,
        outputSchema: describeShape(environmentSourceSchema, 'output'),
        annotations: { ...READS, title: title.source },
      },
      run: (input, signal) => answerTool(() => client.readEnvironmentSource(readName('env_source', input), { signal })),
    },
    {
      listed: {
        name: 'env_check',
        title: title.check,
        description:
          'Go through what an environment must be able to do: load, give tasks, score a right answer above a wrong one, ' +
          'make groups, evaluate. No model is asked. It runs in a process that only reads; what needs more is told as open.',
        inputSchema: NAMED,
        outputSchema: describeShape(environmentCheckSchema, 'output'),
        annotations: { ...READS, title: title.check },
      },
      run: (input, signal) => answerTool(() => client.checkEnvironment(readName('env_check', input), { signal })),
    },
    {
      listed: {
        name: 'rl_health_check',
        title: title.health,
        description: 'Whether the control server, the engine and inference answer, and the version of the server.',
        inputSchema: { type: 'object', properties: {} },
        outputSchema: {
          type: 'object',
          properties: {
            server: { type: 'string' },
            engine: { type: 'string' },
            inference: { type: 'string' },
            version: { type: ['string', 'null'] },
            message: { type: 'string' },
          },
          required: ['server', 'engine', 'inference', 'version'],
        },
        annotations: { ...READS, title: title.health },
      },
      run: () => answerTool(() => rlHealthCheck({ client })),
    },
  ];
}

function readName(tool: string, input: unknown): string {
  const { name } = (input ?? {}) as { name?: unknown };
  if (typeof name === 'string' && name !== '') return name;
  throw new Error(`${tool} takes name: one of those that rl_list_environments gives.`);
}
