import { homePaths } from '@lachesis/protocol/home';
import { readYamlFile, variableName } from '@lachesis/sdk/config';
import { listOpenRuns, listRunProcesses, type Store } from '@lachesis/store';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerChoices } from './choose-servers.ts';
import { createInferenceTests, type InferenceTestParts, type InferenceTests } from './create-inference-tests.ts';
import type { ProcessEnvironment } from './test-steps.ts';
import type { RunConfigurator } from '../config/configurator.ts';
import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { runCommand } from '../programs/run-command.ts';
import { writeWhole } from '../programs/write-whole.ts';
import type { Program } from '../programs/program.ts';
import type { ControlStations } from '../stations.ts';
import { rewardKeyOf } from '../programs/process-variables.ts';

export interface ControlTestsOptions {
  home: string;
  store: Store;
  recipePath: string | undefined;
  /** The gateway that was started beside this server. */
  gatewayUrl: string | undefined;
  program: Program | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** What commands that load environments are given of it. */
  variables: Readonly<Record<string, string>>;
  configurator: RunConfigurator;
  stations: ControlStations;
  nextId: () => string;
}

/** Tests of inference with the real parts. */
export function openInferenceTests(options: ControlTestsOptions): InferenceTests {
  const { configurator } = options;
  return createInferenceTests({
    folderOf: (tenantId) => placeTests(options.home, tenantId),
    findChoices: (tenantId) => findChoices(options, tenantId),
    async findEnvironment(tenantId) {
      const { environment } = await configurator.read(tenantId);
      if (environment === null) return undefined;
      const { environmentFile } = await configurator.resolve(tenantId, {});
      return { name: environment, settings: environmentFile };
    },
    processEnvironment: createProcessor(options),
    grade: createGrader(options),
    ...{ fetch: options.stations.fetch, nextId: options.nextId, sleep: (ms) => sleep(ms, undefined, { ref: false }) },
  });
}

/** People know the folder; tenants of a server that has several find theirs below it. */
function placeTests(home: string, tenantId: string): string {
  const folder = homePaths(home).inferenceTests;
  return tenantId === LOCAL_TENANT
    ? folder
    : join(folder, 'tenants', encodeURIComponent(tenantId).replaceAll('.', '%2E'));
}

async function findChoices(options: ControlTestsOptions, tenantId: string): Promise<ServerChoices> {
  const { store, env, gatewayUrl, stations } = options;
  const open = (await listOpenRuns({ store })).filter((run) => run.tenantId === tenantId && run.state === 'running');
  const active = await Promise.all(
    open.map(async ({ runId, shortId }) => {
      const processes = await listRunProcesses({ store, tenantId, runId });
      const port = processes.find(({ role }) => role === 'trainer')?.port;
      return { runId: shortId, url: `http://127.0.0.1:${port}/v1` };
    }),
  );
  return {
    active,
    configured: await findConfigured(options),
    gateway:
      gatewayUrl === undefined
        ? undefined
        : { url: `${gatewayUrl}/v1`, apiKey: await stations.findGatewayKey(tenantId) },
    openRouterKey: env['OPENROUTER_API_KEY'],
  };
}

/** OPENAI_BASE_URL, else a server of the recipe that is not the trainer of this machine. */
async function findConfigured({ env, recipePath }: ControlTestsOptions): Promise<ServerChoices['configured']> {
  const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key, OPENAI_MODEL: model } = env;
  if (url !== undefined && url !== '') return { url, apiKey: key, model };
  if (recipePath === undefined) return undefined;
  const { openai } = (await readYamlFile(recipePath)) as { openai?: unknown };
  const [server] = (Array.isArray(openai) ? openai : [openai]) as (Record<string, unknown> | undefined)[];
  const { base_url: own, api_key: ownKey, model_name: ownModel } = server ?? {};
  if (typeof own !== 'string' || !URL.canParse(own) || LOCAL.has(new URL(own).hostname)) return undefined;
  return {
    url: own,
    apiKey: typeof ownKey === 'string' ? ownKey : undefined,
    model: typeof ownModel === 'string' ? ownModel : undefined,
  };
}

const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Longer than a test of one model may take. */
const LENT_MS = 15 * 60_000;

function createProcessor({ program, variables, env, stations, configurator }: ControlTestsOptions): ProcessEnvironment {
  /** Every group that is rolled out is counted: none is replaced because its scores are equal. Python has other fields. */
  const exactGroups = async (name: string): Promise<Record<string, boolean>> => {
    const found = (await configurator.listEnvironments()).find((entry) => entry.name === name);
    return found?.file_path.endsWith('.py') === true
      ? {}
      : { dynamic_resampling: false, ensure_scores_are_not_same: false };
  };
  return async (test) => {
    if (program === undefined) throw new Error('This server does not know how to start processes.');
    const config = test.logPath.replace(/\.log$/, '.yaml');
    await writeWhole(config, { env: { ...test.environment.settings, ...(await exactGroups(test.environment.name)) } });
    const { url, model, apiKey, runId } = test.server;
    const reward = rewardKeyOf(test.environment.settings, env);
    const run = async (key: string | undefined) =>
      await runCommand({
        ...{
          program,
          workingDirectory: process.cwd(),
          signal: test.signal,
          onLine: test.onLine,
          logPath: test.logPath,
        },
        // A key in an argument could be read by anybody on the machine.
        env: {
          ...variables,
          ...reward,
          ...(key === undefined ? {} : { [variableName('openai.0.api_key')]: key }),
        },
        arguments: [
          ...['env', 'process', test.environment.name, '--config', config, '--json'],
          ...['--env.total_steps', String(test.groups), '--env.group_size', String(test.groupSize)],
          ...['--env.data_path_to_save_groups', test.dataPath],
          ...['--openai.base_url', url, '--openai.model_name', model, '--openai.health_check', 'false'],
        ],
      });
    if (runId === undefined) return await run(apiKey);
    const ofRun = { tenantId: test.tenantId, shortId: runId };
    return await stations.lendSampling(ofRun, { id: test.id, limitMs: LENT_MS }, run);
  };
}

function createGrader({ program, variables, env }: ControlTestsOptions): InferenceTestParts['grade'] {
  return async ({ name, settings }, { folder, id }, replies, signal) => {
    if (program === undefined) throw new Error('This server does not know how to start processes.');
    const config = join(folder, `grade_${id}.yaml`);
    await writeWhole(config, { env: settings });
    const lines: string[] = [];
    try {
      const { lastWords, code } = await runCommand({
        env: { ...variables, ...rewardKeyOf(settings, env) },
        ...{ program, signal, workingDirectory: process.cwd(), input: JSON.stringify(replies) },
        arguments: ['env', 'grade', name, '--config', config, '--json'],
        onLine: (line) => lines.push(line),
      });
      const last = lines.findLast((line) => line.startsWith('['));
      if (last === undefined) throw new Error(lastWords || `it ended with code ${code}`);
      return JSON.parse(last) as Awaited<ReturnType<InferenceTestParts['grade']>>;
    } finally {
      await rm(config, { force: true });
    }
  };
}
