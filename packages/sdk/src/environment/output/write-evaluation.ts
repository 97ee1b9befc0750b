import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { EvaluationSample } from '../definition.ts';
import type { EvaluationReport } from '../runner/evaluate-environment.ts';
import { itemToJson, ratesToJson } from '../runner/rate-samples.ts';
import { isCorrect } from '../runner/rollout-metrics.ts';
import { groupBlock, PAGE_END, pageStart } from './rollouts-page.ts';

export interface WriteEvaluationOptions {
  /** A folder of its own. */
  readonly folder: string;
  readonly task: string;
  readonly model: string;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly report: EvaluationReport;
  /** The resolved configuration, without secrets. */
  readonly configYaml: string;
}

/** Writes `metrics.json`, `samples.jsonl`, `items.jsonl` (each item's pass rate), `samples.html` and `evaluate_config.yaml`; the metrics last, so that they stand for the rest. */
export async function writeEvaluation(options: WriteEvaluationOptions): Promise<void> {
  const { folder, task, model, report, temperature } = options;
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'evaluate_config.yaml'), options.configYaml);
  await writeFile(
    path.join(folder, 'samples.jsonl'),
    report.samples.map((sample) => `${JSON.stringify(toRow(sample))}\n`).join(''),
  );
  await writeFile(
    path.join(folder, 'items.jsonl'),
    report.rates.items.map((item) => `${JSON.stringify(itemToJson(item))}\n`).join(''),
  );
  const blocks = [...Map.groupBy(report.samples, ({ key }) => key)].map(([key, samples]) =>
    groupBlock(
      key,
      samples.map(({ result, outcome }) => ({ messages: result?.messages ?? [], outcome })),
    ),
  );
  const facts = { model, temperature, ...report.metrics };
  await writeFile(
    path.join(folder, 'samples.html'),
    `${pageStart(`Evaluation of ${task}`, facts)}${blocks.join('')}${PAGE_END}`,
  );
  const metrics = {
    config_general: {
      model_name: model,
      total_evaluation_time_seconds: report.seconds.toFixed(3),
      generation_parameters: { temperature, max_new_tokens: options.maxTokens },
    },
    rates: ratesToJson(report.rates),
    results: { [`atropos|${task}|0`]: report.metrics, all: report.metrics },
  };
  await writeFile(path.join(folder, 'metrics.json'), `${JSON.stringify(metrics, null, 2)}\n`);
}

/** The names evaluation tools know, and ours for the rest. A rollout without a number has null, never 0. */
function toRow({ key, item, outcome, result }: EvaluationSample): object {
  return {
    key,
    question: item,
    messages: result?.messages ?? [],
    model_parsed: result?.finalResponse ?? null,
    score: outcome.kind === 'scored' ? outcome.reward : null,
    correct: outcome.kind === 'scored' ? isCorrect(outcome) : null,
    finish_reason: result?.finishReason ?? null,
    outcome: outcome.kind,
    ...(outcome.kind === 'scored'
      ? { ...(outcome.signals === undefined ? {} : { signals: outcome.signals }) }
      : { reason: outcome.reason }),
  };
}
