import { createRedactor } from '@lachesis/protocol';
import type { AgentTool } from '@lachesis/sdk/agent';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createTrainingTools } from '../../../../packages/cli/src/agent/create-training-tools.ts';
import { createFileTools } from '../../../../packages/cli/src/agent/files/create-file-tools.ts';
import { createRowsTool } from '../../../../packages/cli/src/agent/files/create-rows-tool.ts';
import { openProject } from '../../../../packages/cli/src/agent/files/project-paths.ts';
import { createSkillTools } from '../../../../packages/cli/src/agent/skills/create-skill-tools.ts';
import { createSkillSource } from '../../../../packages/cli/src/agent/skills/skill.ts';
import { createMcpServer } from '../../../../packages/cli/src/mcp/create-mcp-server.ts';
import { SECRET_FILES, type World } from '../subject/open-world.ts';
import type { Attack } from './attack.ts';

/** The tools of `lachesis agent` as the command joins them. */
export async function openAgentTools(world: World): Promise<AgentTool[]> {
  const project = await openProject(world.project);
  const redactor = createRedactor();
  return [
    ...createTrainingTools({ client: world.client, redactor: createRedactor({ entropy: false }) }),
    ...createFileTools({ project, redactor }),
    createRowsTool({ project, redactor, readDatasetRows: () => failRows(), readHubRows: async () => [] }),
    ...createSkillTools(),
  ];
}

// oxlint-disable-next-line require-yield -- a library without data sets
async function* failRows(): AsyncGenerator {
  throw new Error('there is no data set');
}

/** What a tool said, failures too. */
export async function callAgentTool(world: World, name: string, args: Record<string, unknown>): Promise<string> {
  const tool = (await openAgentTools(world)).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  const context = { signal: AbortSignal.timeout(30_000), callId: 'attack' };
  return await tool.execute(args, context).then(
    (answer) => `answered ${typeof answer === 'string' ? answer : JSON.stringify(answer)}`,
    (error: unknown) => `refused ${String(error)}`,
  );
}

const secretFiles: Attack[] = SECRET_FILES.map((file) => ({
  rule: 'project files',
  name: `a file where secrets are kept: ${file}`,
  async run(world) {
    for (const tool of ['read_file', 'preview_rows']) {
      const said = await callAgentTool(world, tool, { path: file });
      if (said.startsWith('answered') || world.findSecret(said) !== undefined) return said;
    }
    return undefined;
  },
}));

const PLACES = [
  '../outside/secret.jsonl',
  'data/link.jsonl',
  'data/folder/secret.jsonl',
  'plain.txt',
  '/etc/passwd',
  '../home-0/secrets.env',
];

const otherFiles: Attack[] = [
  ...PLACES.map((path): Attack => ({
    rule: 'project files',
    name: `a way out of the project: ${path}`,
    async run(world) {
      const said = await callAgentTool(world, 'read_file', { path });
      return said.startsWith('answered') ? said : undefined;
    },
  })),
  {
    ...{ rule: 'project files', name: 'a search for what is in secret files' },
    async run(world) {
      const said = await Promise.all(
        ['key=', 'canary', ...world.secrets].map((text) => callAgentTool(world, 'search_files', { text })),
      );
      return said.find((each) => world.findSecret(each) !== undefined);
    },
  },
  ...[
    '../outside/new.ts',
    'data/folder/new.ts',
    'environments/../../outside/new.ts',
    '.git/hooks/pre-commit',
    'recipe.yaml',
  ].map((path): Attack => ({
    rule: 'project files',
    name: `a file written elsewhere: ${path}`,
    async run(world) {
      await callAgentTool(world, 'write_file', { path, content: 'x' });
      return existsSync(join(world.outside, 'new.ts')) || existsSync(join(world.project, path))
        ? 'it is there'
        : undefined;
    },
  })),
];

const RESOURCES = [
  ...['lachesis://runs/../metrics', 'lachesis://runs/..%2f..%2fconfig/metrics', 'lachesis://runs/%2e%2e/logs/env'],
  ...[
    'lachesis://runs/aaaaaaaa/logs/..%2f..%2fsecrets',
    'lachesis://runs/%00/metrics',
    'lachesis://runs/.../logs/root',
  ],
  ...['lachesis://skills/..', 'lachesis://skills/..%2f..%2fpackage.json', 'lachesis://skills/%2fetc%2fpasswd'],
  ...['file:///etc/passwd', 'http://169.254.169.254/', 'lachesis://../../etc/passwd', 'lachesis://home/secrets.env'],
];

const resources: Attack[] = [
  ...RESOURCES.map((uri): Attack => ({
    rule: 'resources',
    name: `a resource that is none: ${uri}`,
    async run(world) {
      const [server, agent] = [
        createMcpServer({ client: world.client, tools: world.tools, skills: createSkillSource(), version: '1' }),
        new Client({ name: 'agent', version: '1' }),
      ];
      const [left, right] = InMemoryTransport.createLinkedPair();
      await Promise.all([server.connect(left), agent.connect(right)]);
      try {
        const { contents } = await agent.readResource({ uri });
        return `it was read: ${JSON.stringify(contents).slice(0, 200)}`;
      } catch {
        // Refused, which is what is wanted.
        return undefined;
      } finally {
        await agent.close();
      }
    },
  })),
  ...['..', '../../package.json', '/etc/passwd', 'author-an-environment/../../../package.json'].map((name): Attack => ({
    rule: 'resources',
    name: `a skill that is none: ${name}`,
    async run(world) {
      const said = await callAgentTool(world, 'view_skill', { name });
      return said.startsWith('answered') ? said.slice(0, 200) : undefined;
    },
  })),
];

export const READING_ATTACKS: readonly Attack[] = [...secretFiles, ...otherFiles, ...resources];
