import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { writeConfigYaml } from '../../config/print-config.ts';
import { checkContamination, describeContamination } from '../check/check-contamination.ts';
import type { Contamination } from '../check/find-contamination.ts';
import { refuseEqualSamples } from '../config/refuse-equal-samples.ts';
import type { OpenedEnvironment } from '../definition.ts';
import { findFreePath } from '../output/find-free-path.ts';
import { writeEvaluation } from '../output/write-evaluation.ts';
import { checkServers } from '../policy/check-servers.ts';
import { compareModels, printComparison, type ModelReport } from '../runner/compare-models.ts';
import { createProgress } from '../runner/create-progress.ts';
import { printRates } from '../runner/print-rates.ts';
import { itemToJson, rateSamples, ratesToJson, type SampleRates } from '../runner/rate-samples.ts';
import { evaluateEnvironment } from '../runner/evaluate-environment.ts';
import type { CommandRun } from './command-run.ts';

/** One environment as it was evaluated: what a table of several is made of. */
export interface EvaluatedEnvironment {
  readonly environment: string;
  readonly folder: string;
  readonly temperature: number;
  readonly seed: number;
  readonly models: readonly ModelReport[];
  /** Where it was looked for. */
  readonly contamination: Contamination | undefined;
}

export async function runEvaluate(
  run: CommandRun,
  models: readonly string[],
  onEvaluated?: (evaluated: EvaluatedEnvironment) => void,
): Promise<void> {
  const { definition, resolved, signal } = run;
  const { env: config } = resolved.values;
  refuseEqualSamples(config);
  await checkServers({ ...run, servers: run.servers });
  const environment = await definition.open({ config, signal, log: (text) => run.err(`${text}\n`) });
  try {
    const wanted = config.data_dir_to_save_evals ?? path.join('data', 'evals', definition.name);
    await mkdir(path.dirname(path.resolve(wanted)), { recursive: true });
    const { path: folder } = await findFreePath(wanted, takeFolder);
    const contamination = run.checksContamination
      ? await checkContamination(environment, run.trainingTexts)
      : undefined;
    const reports: ModelReport[] = [];
    if (models.length === 0) {
      const model = run.servers[0]?.model_name ?? 'default';
      reports.push(await evaluateModel(run, environment, { folder, model, chosen: undefined }));
    }
    for (const model of models) {
      const own = path.join(folder, model.replaceAll(/[^\w.-]+/g, '_'));
      reports.push(await evaluateModel(run, environment, { folder: own, model, chosen: model }));
    }
    const { eval_temperature: temperature, seed } = environment.config;
    onEvaluated?.({ environment: definition.name, folder, temperature, seed, models: reports, contamination });
    run.out(
      run.json
        ? `${JSON.stringify({
            ...{ folder, models: reports.map(modelToJson), differences: compareModels(reports) },
            ...(contamination === undefined ? {} : { contamination: contaminationToJson(contamination, reports) }),
          })}\n`
        : `${printComparison(reports)}\n${printContamination(contamination, reports)}written to ${folder}\n`,
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
    goal:
      config.eval_samples > 1
        ? { count: items.length * config.eval_samples, unit: 'replies' }
        : { count: items.length, unit: 'items' },
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
  for (const { key: task, result, outcome } of report.samples) {
    const messages = result?.messages ?? [];
    if (messages.length > 0) run.onConversation({ task, model, messages, outcome });
  }
  return { model, report };
}

/** A folder that was there and holds nothing is as good as a new one. */
async function takeFolder(folder: string): Promise<void> {
  await mkdir(folder).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' || (await readdir(folder)).length > 0) throw error;
  });
}

/** What was found, and how the models did on the items that training has not. */
function printContamination(contamination: Contamination | undefined, reports: readonly ModelReport[]): string {
  if (contamination === undefined) return '';
  if (contamination.items.length === 0) return `${describeContamination(contamination)}\n`;
  const rows = reports.map(({ model, report }) => ({ label: model, rates: rateClean(contamination, report) }));
  return `${describeContamination(contamination)}\n${printRates('without them', rows)}\n`;
}

export const contaminationToJson = (contamination: Contamination, reports: readonly ModelReport[]): object => ({
  ...{ evaluated: contamination.evaluated, compared: contamination.compared },
  items: contamination.items.map(({ key, twin, isExact, share }) => ({ key, twin, is_exact: isExact, share })),
  without: reports.map(({ model, report }) => ({ model, rates: ratesToJson(rateClean(contamination, report)) })),
});

function rateClean({ items }: Contamination, { samples, rates }: ModelReport['report']): SampleRates {
  const known = new Set(items.map(({ key }) => key));
  return rateSamples({
    samples: samples.filter(({ key }) => !known.has(key)),
    samplesPerItem: rates.samples,
    seed: rates.seed,
  });
}

/** With each item's own pass rate. */
export const modelToJson = ({ model, report: { metrics, samples, rates, seconds } }: ModelReport): object => ({
  model,
  metrics,
  samples: samples.length,
  rates: ratesToJson(rates),
  items: rates.items.map((item) => itemToJson(item)),
  seconds,
});
