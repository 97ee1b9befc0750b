import { RUN_ROLES, type RunRole, type RunSummary } from '@lachesis/protocol';
import { ClientError, type ControlClient, type LibraryClient } from '@lachesis/sdk';
import { ResourceTemplate, type McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpError, type ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import type { SkillSource } from './skill-source.ts';

/** Enough to see how something went wrong; `lachesis logs` shows the rest. */
const LOG_LINES = 500;
/** Runs whose logs and metrics are listed; every other can be read by its id. */
const LISTED_RUNS = 20;
/** What the protocol calls a resource that is not there. */
const RESOURCE_NOT_FOUND = -32_002;

export interface AddResourcesOptions {
  server: McpServer;
  client: ControlClient;
  library: LibraryClient | undefined;
  skills: SkillSource | undefined;
}

/** Logs, metrics, runs, models, lineage, jobs, data sets, feedback and skills, to be read without a tool. */
export function addResources({ server, client, library, skills }: AddResourcesOptions): void {
  server.registerResource(
    'runs',
    'lachesis://runs',
    { title: 'Runs', description: 'All runs, the newest first.', mimeType: 'application/json' },
    async (uri, { signal }) => asJson(uri, await ask(uri, client.listRuns({}, { signal }))),
  );

  server.registerResource(
    'run-log',
    new ResourceTemplate('lachesis://runs/{run_id}/logs/{role}', {
      list: async ({ signal }) => ({
        resources: (await listRuns(client, signal)).flatMap(({ run_id: runId, environment }) =>
          RUN_ROLES.map((role) => ({
            uri: `lachesis://runs/${runId}/logs/${role}`,
            name: `${role} log of ${runId} (${environment})`,
            mimeType: 'text/plain',
          })),
        ),
      }),
      complete: { role: () => [...RUN_ROLES], run_id: () => completeRun(client) },
    }),
    { title: 'Log of a run', description: `The last ${LOG_LINES} lines of one process.`, mimeType: 'text/plain' },
    async (uri, variables, { signal }) => {
      const role = RUN_ROLES.find((known) => known === variables['role']);
      if (role === undefined) throw notFound(uri, `the role is one of ${RUN_ROLES.join(', ')}`);
      const lines = await ask(uri, readLog({ client, runId: String(variables['run_id']), role, signal }));
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text: lines.join('\n') }] };
    },
  );

  server.registerResource(
    'run-metrics',
    new ResourceTemplate('lachesis://runs/{run_id}/metrics', {
      list: async ({ signal }) => ({
        resources: (await listRuns(client, signal)).map(({ run_id: runId, environment }) => ({
          uri: `lachesis://runs/${runId}/metrics`,
          name: `metrics of ${runId} (${environment})`,
          mimeType: 'application/json',
        })),
      }),
      complete: { run_id: () => completeRun(client) },
    }),
    { title: 'Metrics of a run', description: 'Last values and history.', mimeType: 'application/json' },
    async (uri, variables, { signal }) =>
      asJson(uri, await ask(uri, client.readMetrics(String(variables['run_id']), {}, { signal }))),
  );

  server.registerResource(
    'run-why',
    // Not listed: there is one for each run that is.
    new ResourceTemplate('lachesis://runs/{run_id}/why', {
      list: undefined,
      complete: { run_id: () => completeRun(client) },
    }),
    {
      title: 'Why a run waits or does not learn',
      description: 'Who waits for whom, and why it does not learn: figures, a sentence and a command for each cause.',
      mimeType: 'application/json',
    },
    async (uri, variables, { signal }) =>
      asJson(uri, await ask(uri, client.explainRun(String(variables['run_id']), { signal }))),
  );

  addModels(server, client);
  addJobs(server, client);
  if (library !== undefined) addLibrary(server, library);
  if (skills !== undefined) addSkills(server, skills);
}

function addModels(server: McpServer, client: ControlClient): void {
  const mimeType = 'application/json';
  server.registerResource(
    'models',
    'lachesis://models',
    { title: 'Models', description: 'Registered models, and which version each name serves.', mimeType },
    async (uri, { signal }) => asJson(uri, await ask(uri, client.listModels({}, { signal }))),
  );
  server.registerResource(
    'improvements',
    'lachesis://improvements',
    { title: 'Improvements', description: 'Improvements of models: where each stands, how it ended.', mimeType },
    async (uri, { signal }) => asJson(uri, await ask(uri, client.listImprovements({}, { signal }))),
  );
  server.registerResource(
    'improvement',
    new ResourceTemplate('lachesis://improvements/{ref}', { list: undefined }),
    { title: 'Improvement', description: 'One by its id, or the newest of a model by its name.', mimeType },
    async (uri, variables, { signal }) =>
      asJson(uri, await ask(uri, client.readImprovement(decodeURIComponent(String(variables['ref'])), { signal }))),
  );
  server.registerResource(
    'model',
    new ResourceTemplate('lachesis://models/{ref}', { list: undefined }),
    { title: 'Model', description: 'One model by name@version: what it was made from, how it did.', mimeType },
    async (uri, variables, { signal }) =>
      asJson(uri, await ask(uri, client.readModel(decodeURIComponent(String(variables['ref'])), { signal }))),
  );
  server.registerResource(
    'model-adapter',
    new ResourceTemplate('lachesis://models/{ref}/adapter', { list: undefined }),
    { title: 'Adapter', description: 'Files of the trained weights, with sizes and digests.', mimeType },
    async (uri, variables, { signal }) =>
      asJson(uri, await ask(uri, client.readAdapter(decodeURIComponent(String(variables['ref'])), { signal }))),
  );
  server.registerResource(
    'lineage',
    new ResourceTemplate('lachesis://lineage/{what}', { list: undefined }),
    {
      title: 'Lineage',
      description: 'What model:name@version, feedback:<id> or reply:<id> was made from, and what was made of it.',
      mimeType,
    },
    async (uri, variables, { signal }) =>
      asJson(uri, await ask(uri, client.readLineage(decodeURIComponent(String(variables['what'])), {}, { signal }))),
  );
}

function addJobs(server: McpServer, client: ControlClient): void {
  const mimeType = 'application/json';
  server.registerResource(
    'jobs',
    'lachesis://jobs',
    { title: 'Jobs', description: 'Jobs of many items, the newest first: how far each is.', mimeType },
    async (uri, { signal }) => asJson(uri, await ask(uri, client.listJobs({}, { signal }))),
  );
  server.registerResource(
    'job',
    new ResourceTemplate('lachesis://jobs/{ref}', { list: undefined }),
    { title: 'Job', description: 'One by its name: how far it is, and why items of it failed.', mimeType },
    async (uri, variables, { signal }) =>
      asJson(uri, await ask(uri, client.readJob(decodeURIComponent(String(variables['ref'])), { signal }))),
  );
}

function addLibrary(server: McpServer, library: LibraryClient): void {
  const mimeType = 'application/json';
  server.registerResource(
    'datasets',
    'lachesis://datasets',
    {
      title: 'Data sets',
      description: 'Versions of data sets: how many rows, and what they were made from.',
      mimeType,
    },
    async (uri, { signal }) => asJson(uri, { datasets: await ask(uri, library.listDatasets({ signal })) }),
  );
  server.registerResource(
    'agreement',
    'lachesis://feedback/agreement',
    { title: 'Agreement', description: 'How often judges said of a reply what people said of it.', mimeType },
    async (uri, { signal }) => asJson(uri, await ask(uri, library.readAgreement({}, { signal }))),
  );
  server.registerResource(
    'dataset',
    new ResourceTemplate('lachesis://datasets/{ref}', { list: undefined }),
    { title: 'Data set', description: 'One version by name@version, or the newest by its name.', mimeType },
    async (uri, variables, { signal }) => {
      const dataset = await ask(uri, library.readDataset(decodeURIComponent(String(variables['ref'])), { signal }));
      if (dataset === undefined) throw notFound(uri, 'lachesis://datasets lists what there is');
      return asJson(uri, dataset);
    },
  );
  server.registerResource(
    'dataset-check',
    new ResourceTemplate('lachesis://datasets/{ref}/check', { list: undefined }),
    { title: 'Check of a data set', description: 'What would go wrong in training, with the rows.', mimeType },
    async (uri, variables, { signal }) =>
      asJson(uri, await ask(uri, library.checkDataset(decodeURIComponent(String(variables['ref'])), {}, { signal }))),
  );
}

function addSkills(server: McpServer, skills: SkillSource): void {
  server.registerResource(
    'skill',
    new ResourceTemplate('lachesis://skills/{name}', {
      list: async () => ({
        resources: (await skills.list()).map(({ name, description }) => ({
          uri: `lachesis://skills/${name}`,
          name,
          description,
          mimeType: 'text/markdown',
        })),
      }),
      complete: { name: async () => (await skills.list()).map(({ name }) => name) },
    }),
    { title: 'Skill', description: 'How to do one thing, step by step.', mimeType: 'text/markdown' },
    async (uri, variables) => {
      const text = await skills.read(String(variables['name']));
      if (text === undefined) throw notFound(uri, 'list the resources to see the skills there are');
      return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text }] };
    },
  );
}

async function readLog(options: {
  client: ControlClient;
  runId: string;
  role: RunRole;
  signal: AbortSignal;
}): Promise<string[]> {
  const { client, runId, role, signal } = options;
  const lines: string[] = [];
  for await (const event of client.followLog(runId, role, { tail: LOG_LINES, follow: false, signal })) {
    lines.push(...event.lines);
  }
  return lines.slice(-LOG_LINES);
}

/** Without a server there is nothing to list; that is no reason to hide the skills. The tools say why. */
async function listRuns(client: ControlClient, signal?: AbortSignal): Promise<RunSummary[]> {
  try {
    return (await client.listRuns({ limit: LISTED_RUNS }, { signal })).runs;
  } catch (error) {
    if (ClientError.isInstance(error)) return [];
    throw error;
  }
}

const completeRun = async (client: ControlClient): Promise<string[]> =>
  (await listRuns(client)).map(({ run_id: runId }) => runId);

const asJson = (uri: URL, value: unknown): ReadResourceResult => ({
  contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(value, null, 2) }],
});

async function ask<T>(uri: URL, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (ClientError.isInstance(error) && error.status === 404) throw notFound(uri, error.reason);
    throw error;
  }
}

const notFound = (uri: URL, reason: string): McpError =>
  new McpError(RESOURCE_NOT_FOUND, `There is nothing at ${uri.href}: ${reason}.`);
