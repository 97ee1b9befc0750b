import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { request } from '../../clients/request.ts';
import { createTrajectoryClient } from '../../clients/trajectory.ts';
import { ConfigError } from '../../config/config-error.ts';
import { writeConfigYaml } from '../../config/print-config.ts';
import { refuseEqualSamples } from '../config/refuse-equal-samples.ts';
import type { OpenedEnvironment } from '../definition.ts';
import { openGroupFile } from '../output/open-group-file.ts';
import { createItemRateKeeper } from '../curriculum/keep-item-rates.ts';
import { openUnsentGroups } from '../output/open-unsent-groups.ts';
import { placeOutput, type OutputPlaces } from '../output/place-output.ts';
import { writeEvaluation } from '../output/write-evaluation.ts';
import { checkServers } from '../policy/check-servers.ts';
import type { Policy } from '../policy/policy.ts';
import { createProgress } from '../runner/create-progress.ts';
import { evaluateEnvironment, type EvaluationReport } from '../runner/evaluate-environment.ts';
import type { RunEvent } from '../runner/run-event.ts';
import { serveEnvironment } from '../runner/serve-environment.ts';
import type { CommandRun } from './command-run.ts';
import { createTrainerAsker } from './ask-trainer.ts';
import { createMetricsReporter } from './create-metrics-reporter.ts';
import { reportEvaluation } from './report-evaluation.ts';

export async function runServe(run: CommandRun): Promise<void> {
  const { definition, resolved, clock, signal } = run;
  const { env: config } = resolved.values;
  if (config.batch_size > 0 && config.group_size > config.batch_size) {
    throw new ConfigError({
      kind: 'bad-value',
      path: 'env.group_size',
      reason: `env.group_size (${config.group_size}) is larger than env.batch_size (${config.batch_size}): no batch could hold a group.`,
      hint: 'Make the group smaller or the batch larger.',
    });
  }
  refuseEqualSamples(config);
  const base = {
    url: config.rollout_server_url,
    ...(config.rollout_server_token === undefined ? {} : { token: config.rollout_server_token }),
    fetch: run.fetch,
    clock,
  };
  const places = placeOutput({ name: definition.name, config, variables: run.variables });
  const { folder } = places;
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'serve_config.yaml'), writeConfigYaml(resolved));
  const progress = createProgress({
    mode: run.progressMode,
    name: definition.name,
    write: run.json ? run.out : run.err,
    now: clock.now,
  });
  const metrics = createMetricsFile(path.join(folder, 'metrics.jsonl'), run.err);
  const reporter = createMetricsReporter({
    url: findTrainerUrl(run),
    token: config.rollout_server_token,
    environment: definition.name,
    fetch: run.fetch,
    clock,
    say: (note) => run.err(`${note}\n`),
  });
  const onEvent = (event: RunEvent): void => {
    if (event.kind === 'metrics-logged') {
      metrics.add({ step: event.step, ...event.metrics });
      reporter.add({ step: event.step, metrics: event.metrics });
    }
    progress.onEvent(event);
  };

  await checkServers({ ...run, servers: run.servers, onWaiting: (reason) => onEvent({ kind: 'run-waiting', reason }) });
  const environment = await definition.open({ config, signal, log: (text) => onEvent({ kind: 'log', text }) });
  const policy = run.policyFor({ needsTokens: true });
  const saved =
    config.data_path_to_save_groups === undefined || config.data_path_to_save_groups === null
      ? undefined
      : await openGroupFile({ file: config.data_path_to_save_groups, definition, environment });
  try {
    const summary = await serveEnvironment({
      definition,
      environment,
      policy,
      client: createTrajectoryClient(base),
      readBatchSize: async () => (config.batch_size > 0 ? config.batch_size : readRegisteredBatchSize(base, signal)),
      clock,
      nextId: run.nextId,
      signal,
      onEvent,
      evaluate: (step) => evaluateStep(run, places, environment, policy, step),
      askTrainer: createTrainerAsker({
        ...{ url: findTrainerUrl(run), token: config.rollout_server_token, environment: definition.name },
        ...{ fetch: run.fetch, clock, flush: reporter.flush },
      }),
      itemRates: createItemRateKeeper({
        ...{ url: findTrainerUrl(run), token: config.rollout_server_token, environment: definition.name },
        ...{ fetch: run.fetch, clock },
      }),
      ...(saved === undefined ? {} : { saveGroup: saved.write }),
      unsent: openUnsentGroups({ folder: path.join(folder, 'unsent'), url: config.rollout_server_url, now: Date.now }),
    });
    progress.end();
    run.out(
      run.json
        ? `${JSON.stringify({ kind: 'run-ended', ...summary })}\n`
        : `${summary.groups} groups sent, step ${summary.step}; metrics in ${metrics.path}\n`,
    );
  } finally {
    await Promise.all([metrics.close(), reporter.close()]);
    await saved?.close();
    await environment.close();
  }
}

/** The trainer serves the policy unless it is told to be elsewhere. */
const findTrainerUrl = ({ resolved, servers }: Pick<CommandRun, 'resolved' | 'servers'>): string | undefined =>
  resolved.values.env.trainer_url ?? servers[0]?.base_url.replace(/\/v1\/?$/, '');

/** Knows nothing of groups or of the trajectory API. */
async function evaluateStep(
  { definition, resolved, servers, nextId, clock, signal, fetch: send, err }: CommandRun,
  places: OutputPlaces,
  environment: OpenedEnvironment,
  policy: Policy,
  step: number,
): Promise<EvaluationReport> {
  const { config } = environment;
  const report = await evaluateEnvironment({ environment, policy, nextId, now: clock.now, signal, onEvent: () => {} });
  await writeEvaluation({
    folder: places.evaluationFolder(step),
    task: definition.name,
    model: servers[0]?.model_name ?? 'default',
    temperature: config.eval_temperature,
    maxTokens: config.max_completion_tokens ?? config.max_token_length,
    report,
    configYaml: writeConfigYaml(resolved),
  });
  const note = await reportEvaluation({
    url: findTrainerUrl({ resolved, servers }),
    token: config.rollout_server_token,
    score: report.metrics['eval/mean_reward'],
    step,
    fetch: send,
    signal,
  });
  if (note !== undefined) err(`${note}\n`);
  return report;
}

async function readRegisteredBatchSize(
  base: Parameters<typeof createTrajectoryClient>[0],
  signal: AbortSignal,
): Promise<number> {
  const info = await request({
    ...base,
    method: 'GET',
    path: '/info',
    signal,
    retryForMs: 60_000,
    parse: (reply) => reply as { batch_size: number },
  });
  return info.batch_size;
}

/** Lines are written one after another; a process that dies loses at most the last. A full disk is told and ends nothing. */
function createMetricsFile(
  file: string,
  err: (text: string) => void,
): { path: string; add: (row: object) => void; close: () => Promise<void> } {
  let writing = Promise.resolve();
  return {
    path: file,
    add(row) {
      writing = writing
        .then(() => appendFile(file, `${JSON.stringify(row)}\n`))
        .catch((error: unknown) =>
          err(`metrics are not kept: ${error instanceof Error ? error.message : String(error)}\n`),
        );
    },
    close: () => writing,
  };
}
