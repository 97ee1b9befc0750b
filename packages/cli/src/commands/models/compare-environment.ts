import { readYamlFile } from '@lachesis/sdk/config';
import {
  compareModels,
  createHttpPolicy,
  createProgress,
  evaluateEnvironment,
  resolveEnvironmentConfig,
} from '@lachesis/sdk/environment';
import { createIdSource } from '@lachesis/protocol';
import { readInferenceSettings } from '@lachesis/server';
import { buildInference, createLog } from '@lachesis/server/processes';
import type { RegisteredModel } from '@lachesis/protocol';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHome } from '../../flags/engine.ts';
import { findEngineUrl } from '../../flags/find-engine.ts';
import { loadDefinition } from '../../flags/environment.ts';
import type { CompareJob, Comparison } from './compare-job.ts';
import { nameOf } from '../../flags/library/name-model.ts';

type ModelReport = Parameters<typeof compareModels>[0][number];

/** Both models behind an inference server of our own, one after the other, on the evaluation items of an environment. */
export async function measureOnEnvironment(job: CompareJob): Promise<Comparison> {
  const { args, left, right, signal } = job;
  const environmentName = args.environment ?? '';
  const definition = await loadDefinition(environmentName);
  const yaml = args.config === undefined ? undefined : await readYamlFile(args.config);
  await using server = await openServer(job);
  const openai = { base_url: `${server.url}/v1`, health_check: 'false' };
  const resolved = resolveEnvironmentConfig({
    definition,
    flags: { ...args.settings, openai: { ...(args.settings['openai'] as object | undefined), ...openai } },
    yaml,
    env: {},
  });
  const environment = await definition.open({ config: resolved.values.env, signal, log: job.log });
  const ids = createIdSource();
  try {
    const reports: ModelReport[] = [];
    for (const [place, model] of [left, right].entries()) {
      await server.serve(model, place + 1);
      const items = await environment.listEvaluationItems();
      const progress = createProgress({
        mode: args.json === true || !process.stderr.isTTY ? 'plain' : 'line',
        name: `${definition.name} ${nameOf(model)}`,
        write: (text) => void process.stderr.write(text),
        now: () => performance.now(),
        goal: { count: items.length, unit: 'items' },
      });
      const report = await evaluateEnvironment({
        environment,
        policy: createHttpPolicy({ servers: resolved.values.openai, needsTokens: false }),
        nextId: () => ids.next(),
        now: () => performance.now(),
        signal,
        onEvent: progress.onEvent,
      });
      progress.end();
      reports.push({ model: String(place), report });
    }
    const { left: _left, right: _right, ...difference } = compareModels(reports)[0]!;
    const [leftMean, rightMean] = reports.map((one) => one.report.metrics['eval/mean_reward'] ?? Number.NaN);
    return {
      ...{ on: `environment ${definition.name}`, measure: 'mean reward' },
      ...{ ...difference, leftMean: leftMean!, rightMean: rightMean! },
    };
  } finally {
    await environment.close();
  }
}

interface CompareServer extends AsyncDisposable {
  url: string;
  serve(model: RegisteredModel, version: number): Promise<void>;
}

/** It records nothing, and forgets what it served. */
async function openServer({ args, left }: CompareJob): Promise<CompareServer> {
  // The environment runs here, and so does what it asks: the engine is one that this machine reaches.
  const engineUrl = await findEngineUrl({ tinker: { base_url: args['engine-url'] } }, { home: readHome(args) });
  const home = await mkdtemp(join(tmpdir(), 'lachesis-compare-'));
  const { values: settings } = readInferenceSettings(
    {
      ...{ home, host: '127.0.0.1', capture: false, baseModel: left.base_model, logLevel: 'warn' },
      ...(engineUrl === undefined ? {} : { engineUrl }),
      ...(args.tokenizer === undefined ? {} : { tokenizer: args.tokenizer }),
    },
    {},
  );
  const built = await buildInference({ settings, log: createLog({ name: 'compare', level: 'warn' }) });
  const url = await built.app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    async serve(model, version) {
      const path = model.weights_path === '' ? null : model.weights_path;
      await built.station.publish({ model_path: path, policy_version: version, step: model.step ?? 0, force: true });
    },
    async [Symbol.asyncDispose]() {
      await built.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
