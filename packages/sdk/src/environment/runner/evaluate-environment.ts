import type { EvaluationContext, EvaluationSample, OpenedEnvironment } from '../definition.ts';
import { createRandom } from '../create-random.ts';
import { EnvironmentError } from '../environment-error.ts';
import { createFailureGate } from '../failures/create-failure-gate.ts';
import { collectGroup } from '../group/collect-group.ts';
import type { Policy } from '../policy/policy.ts';
import type { Drawn } from '../split.ts';
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
  /** In the order of the items. */
  readonly samples: readonly EvaluationSample[];
  readonly seconds: number;
}

/**
 * Rolls out and grades the items of the evaluation split. Nothing in its options can hold a group or reach a trajectory API: what
 * is evaluated cannot be trained on.
 */
export async function evaluateEnvironment(options: EvaluateOptions): Promise<EvaluationReport> {
  const { environment, signal, now } = options;
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
  const done = new Map<string, EvaluationSample>();

  const run = async (drawn: Drawn<'eval'>): Promise<EvaluationSample> => {
    const group = await collectGroup({
      ...options,
      drawn,
      groupSize: 1,
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
    const last = group.attempts.at(-1)!;
    const sample = { key: drawn.key, item: drawn.item, outcome: last.outcome, result: last.result };
    done.set(drawn.key, sample);
    if (gate.reason !== undefined) {
      throw new EnvironmentError({ kind: 'too-many-failures', reason: `The evaluation ends: ${gate.reason}.` });
    }
    return sample;
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
  const samples = [...done.values()].toSorted((left, right) => orderOf(items, left) - orderOf(items, right));
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
      ...measureOwn(environment, 'eval', graded),
      ...prefixMetrics('eval', own),
    },
    samples,
    seconds: (now() - startedAt) / 1000,
  };
}

const orderOf = (items: readonly Drawn<'eval'>[], { key }: EvaluationSample): number =>
  items.findIndex((drawn) => drawn.key === key);

function contextOf(
  { environment: { config, state }, signal, onEvent }: EvaluateOptions,
  items: readonly Drawn<'eval'>[],
  run: EvaluationContext['run'],
  runAll: EvaluationContext['runAll'],
): EvaluationContext {
  const random = createRandom(config.seed, 'evaluate');
  return { config, state, random, signal, log: (text) => onEvent({ kind: 'log', text }), items, run, runAll };
}
