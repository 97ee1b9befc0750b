import { readYamlFile } from '@lachesis/sdk/config';
import { listOpenRuns, listRunProcesses, type Store } from '@lachesis/store';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerChoices } from '../control/inference-test/choose-servers.ts';
import {
  createInferenceTests,
  type InferenceTestParts,
  type InferenceTests,
} from '../control/inference-test/create-inference-tests.ts';
import type { ProcessEnvironment } from '../control/inference-test/test-steps.ts';
import type { RunConfigurator } from '../control/runs/run-configurator.ts';
import { runCommand } from './control-command.ts';
import { writeWhole } from './control-preflight.ts';
import type { Program } from './control-program.ts';

export interface ControlTestsOptions {
  home: string;
  store: Store;
  recipePath: string | undefined;
  program: Program | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  configurator: RunConfigurator;
  /** With the token of the stations, when they want one. */
  fetch: typeof fetch;
  nextId: () => string;
}

/** Tests of inference with the real parts. */
export function openInferenceTests(options: ControlTestsOptions): InferenceTests {
  const { configurator } = options;
  return createInferenceTests({
    folder: join(options.home, 'logs', 'rl_training', 'inference_tests'),
    findChoices: (tenantId) => findChoices(options, tenantId),
    async findEnvironment(tenantId) {
      const { environment } = await configurator.read(tenantId);
      if (environment === null) return undefined;
      const { environmentFile } = await configurator.resolve(tenantId, {});
      return { name: environment, settings: environmentFile };
    },
    processEnvironment: createProcessor(options),
    grade: createGrader(options),
    ...{ fetch: options.fetch, nextId: options.nextId, sleep: (ms) => sleep(ms, undefined, { ref: false }) },
  });
}

async function findChoices(options: ControlTestsOptions, tenantId: string): Promise<ServerChoices> {
  const { store, environment } = options;
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
    openRouterKey: environment['OPENROUTER_API_KEY'],
  };
}

/** OPENAI_BASE_URL, else a server of the recipe that is not the trainer of this machine. */
async function findConfigured({ environment, recipePath }: ControlTestsOptions): Promise<ServerChoices['configured']> {
  const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key, OPENAI_MODEL: model } = environment;
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

function createProcessor({ program, environment }: ControlTestsOptions): ProcessEnvironment {
  return async (test) => {
    if (program === undefined) throw new Error('This server does not know how to start processes.');
    const config = test.logPath.replace(/\.log$/, '.yaml');
    await writeWhole(config, { env: test.environment.settings });
    const { url, model, apiKey } = test.server;
    return await runCommand({
      ...{ program, workingDirectory: process.cwd(), signal: test.signal, onLine: test.onLine, logPath: test.logPath },
      // A key in an argument could be read by anybody on the machine.
      environment: { ...environment, ...(apiKey === undefined ? {} : { LACHESIS_OPENAI_API_KEY: apiKey }) },
      arguments: [
        ...['env', 'process', test.environment.name, '--config', config, '--json'],
        ...['--env.total_steps', String(test.groups), '--env.group_size', String(test.groupSize)],
        ...['--env.data_path_to_save_groups', test.dataPath],
        ...['--openai.base_url', url, '--openai.model_name', model, '--openai.health_check', 'false'],
      ],
    });
  };
}

function createGrader({ program, environment, home }: ControlTestsOptions): InferenceTestParts['grade'] {
  return async ({ name, settings }, replies, signal) => {
    if (program === undefined) throw new Error('This server does not know how to start processes.');
    const config = join(home, 'logs', 'rl_training', 'inference_tests', 'grade.yaml');
    await writeWhole(config, { env: settings });
    const lines: string[] = [];
    const { lastWords, code } = await runCommand({
      ...{ program, environment, signal, workingDirectory: process.cwd(), input: JSON.stringify(replies) },
      arguments: ['env', 'grade', name, '--config', config, '--json'],
      onLine: (line) => lines.push(line),
    });
    const last = lines.findLast((line) => line.startsWith('['));
    if (last === undefined) throw new Error(lastWords || `it ended with code ${code}`);
    return JSON.parse(last) as Awaited<ReturnType<InferenceTestParts['grade']>>;
  };
}
