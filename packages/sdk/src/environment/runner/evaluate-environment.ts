import type { EvaluationContext, EvaluationSample, OpenedEnvironment } from '../definition.ts';
import { createRandom } from '../create-random.ts';
import { EnvironmentError } from '../environment-error.ts';
import { createFailureGate } from '../failures/create-failure-gate.ts';
import { collectGroup } from '../group/collect-group.ts';
import type { Policy } from '../policy/policy.ts';
import type { Rollout } from '../rollout/rollout.ts';
import { refuseEqualSamples } from '../config/refuse-equal-samples.ts';
import type { Drawn } from '../split.ts';
import { measureRates, rateSamples, type SampleRates } from './rate-samples.ts';
import { measureOutcomes, measureOwn, prefixMetrics } from './rollout-metrics.ts';
import type { OnRunEvent } from './run-event.ts';

export interface EvaluateOptions {
  readonly environment: OpenedEnvironment;
  readonly policy: Policy;
  readonly nextId: () => string;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onEvent: OnRunEvent;
}

export interface EvaluationReport {
  readonly metrics: Readonly<Record<string, number>>;
  /** In the order of the items, `eval_samples` of each. */
  readonly samples: readonly EvaluationSample[];
  /** pass@k and avg@k with intervals, and each item's own. */
  readonly rates: SampleRates;
  readonly seconds: number;
}

/**
 * Rolls out and grades the items of the evaluation split. Nothing in its options can hold a group or reach a trajectory API: what
 * is evaluated cannot be trained on.
 */
export async function evaluateEnvironment(options: EvaluateOptions): Promise<EvaluationReport> {
  const { environment, signal, now } = options;
  const { eval_samples: samplesPerItem, seed } = environment.config;
  refuseEqualSamples(environment.config);
  const startedAt = now();
  const items = await environment.listEvaluationItems();
  if (items.length === 0 && environment.evaluate === undefined) {
    throw new EnvironmentError({
      kind: 'no-items',
      reason: 'The environment has no items in its evaluation split.',
      hint: 'Give `items.evaluation`; training items are never used in its place.',
    });
  }
  const gate = createFailureGate({ now });
  const done = new Map<string, readonly EvaluationSample[]>();

  const run = async (drawn: Drawn<'eval'>): Promise<EvaluationSample> => {
    const group = await collectGroup({
      ...options,
      drawn,
      groupSize: samplesPerItem,
      failurePolicy: 'complete',
      maxAttempts: environment.config.max_rollout_attempts,
      temperature: environment.config.eval_temperature,
      nextRolloutId: options.nextId,
      log: (text) => options.onEvent({ kind: 'log', text }),
      onRollout: ({ outcome, durationMs }) => {
        gate.record(outcome);
        options.onEvent({ kind: 'rollout-ended', split: 'eval', outcome, durationMs });
      },
    });
    const samples = listLastAttempts(group.attempts).map(({ outcome, result }) => ({
      ...{ key: drawn.key, item: drawn.item, outcome, result },
    }));
    done.set(drawn.key, samples);
    if (gate.reason !== undefined) {
      throw new EnvironmentError({ kind: 'too-many-failures', reason: `The evaluation ends: ${gate.reason}.` });
    }
    return samples[0]!;
  };

  const runAll = async (): Promise<readonly EvaluationSample[]> => {
    const samples: EvaluationSample[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < items.length) {
        const at = next;
        next += 1;
        signal.throwIfAborted();
        samples[at] = await run(items[at]!);
      }
    };
    const workers = Math.min(environment.config.max_eval_workers, items.length);
    await Promise.all(Array.from({ length: workers }, work));
    return samples;
  };

  const own =
    environment.evaluate === undefined ? {} : await environment.evaluate(contextOf(options, items, run, runAll));
  if (environment.evaluate === undefined) await runAll();
  const samples = items.flatMap(({ key }) => done.get(key) ?? []);
  const rates = rateSamples({ samples, samplesPerItem, seed });
  const graded = samples.flatMap(({ item, result, outcome }) =>
    result === undefined ? [] : [{ item, result, outcome }],
  );
  return {
    metrics: {
      ...(samples.length === 0
        ? {}
        : measureOutcomes(
            'eval',
            samples.map(({ outcome }) => outcome),
          )),
      ...measureRates(rates),
      ...measureOwn(environment, 'eval', graded),
      ...prefixMetrics('eval', own),
    },
    samples,
    rates,
    seconds: (now() - startedAt) / 1000,
  };
}

/** Of each place the attempt that ended last: the one that was scored, or the failure that nothing mended. */
function listLastAttempts(attempts: readonly Rollout<'eval'>[]): readonly Rollout<'eval'>[] {
  const byPlace = new Map(attempts.map((attempt) => [attempt.index, attempt]));
  return [...byPlace].toSorted(([left], [right]) => left - right).map(([, attempt]) => attempt);
}

function contextOf(
  { environment: { config, state }, signal, onEvent }: EvaluateOptions,
  items: readonly Drawn<'eval'>[],
  run: EvaluationContext['run'],
  runAll: EvaluationContext['runAll'],
): EvaluationContext {
  const random = createRandom(config.seed, 'evaluate');
  return { config, state, random, signal, log: (text) => onEvent({ kind: 'log', text }), items, run, runAll };
}
