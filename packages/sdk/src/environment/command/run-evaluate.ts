import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { writeConfigYaml } from '../../config/print-config.ts';
import type { OpenedEnvironment } from '../definition.ts';
import { findFreePath } from '../output/find-free-path.ts';
import { writeEvaluation } from '../output/write-evaluation.ts';
import { checkServers } from '../policy/check-servers.ts';
import { compareModels, printComparison, type ModelReport } from '../runner/compare-models.ts';
import { createProgress } from '../runner/create-progress.ts';
import { evaluateEnvironment } from '../runner/evaluate-environment.ts';
import type { CommandRun } from './command-run.ts';

export async function runEvaluate(run: CommandRun, models: readonly string[]): Promise<void> {
  const { definition, resolved, signal } = run;
  const { env: config } = resolved.values;
  await checkServers({ ...run, servers: run.servers });
  const environment = await definition.open({ config, signal, log: (text) => run.err(`${text}\n`) });
  try {
    const wanted = config.data_dir_to_save_evals ?? path.join('data', 'evals', definition.name);
    await mkdir(path.dirname(path.resolve(wanted)), { recursive: true });
    const { path: folder } = await findFreePath(wanted, takeFolder);
    const reports: ModelReport[] = [];
    if (models.length === 0) {
      const model = run.servers[0]?.model_name ?? 'default';
      reports.push(await evaluateModel(run, environment, { folder, model, chosen: undefined }));
    }
    for (const model of models) {
      const own = path.join(folder, model.replaceAll(/[^\w.-]+/g, '_'));
      reports.push(await evaluateModel(run, environment, { folder: own, model, chosen: model }));
    }
    run.out(
      run.json
        ? `${JSON.stringify({ folder, models: reports.map(toJson), differences: compareModels(reports) })}\n`
        : `${printComparison(reports)}\nwritten to ${folder}\n`,
    );
  } finally {
    await environment.close();
  }
}

async function evaluateModel(
  run: CommandRun,
  environment: OpenedEnvironment,
  { folder, model, chosen }: { folder: string; model: string; chosen: string | undefined },
): Promise<ModelReport> {
  const { definition, resolved, clock, signal } = run;
  const { config } = environment;
  const items = await environment.listEvaluationItems();
  const progress = createProgress({
    mode: run.progressMode,
    name: chosen === undefined ? definition.name : `${definition.name} ${chosen}`,
    write: run.json ? run.out : run.err,
    now: clock.now,
    goal: { count: items.length, unit: 'items' },
  });
  const report = await evaluateEnvironment({
    environment,
    policy: run.policyFor({ needsTokens: false, ...(chosen === undefined ? {} : { model: chosen }) }),
    nextId: run.nextId,
    now: clock.now,
    signal,
    onEvent: progress.onEvent,
  });
  progress.end();
  await writeEvaluation({
    folder,
    task: definition.name,
    model,
    temperature: config.eval_temperature,
    maxTokens: config.max_completion_tokens ?? config.max_token_length,
    report,
    configYaml: writeConfigYaml(resolved),
  });
  return { model, report };
}

/** A folder that was there and holds nothing is as good as a new one. */
async function takeFolder(folder: string): Promise<void> {
  await mkdir(folder).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' || (await readdir(folder)).length > 0) throw error;
  });
}

const toJson = ({ model, report: { metrics, samples, seconds } }: ModelReport): object => ({
  model,
  metrics,
  samples: samples.length,
  seconds,
});
