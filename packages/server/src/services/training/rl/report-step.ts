import { TrainerError } from '../trainer-error.ts';
import { describeStep } from './metrics/describe-step.ts';
import type { StepReport } from './metrics/step-report.ts';
import { toHistograms, toMetrics } from './metrics/to-metrics.ts';
import type { TrainerDeps } from './deps.ts';

/** Tells of a step: status, a line for people, alarms, metric sinks. Throws where the recipe lets an alarm end the run. */
export async function reportStep(
  { recipe, sink, status, log, wallClock, onLine, measureCost }: TrainerDeps,
  made: StepReport,
): Promise<void> {
  const step = { ...made, cost: await measureCost?.(made.facts.totalTokens) };
  onLine(describeStep(step));
  // Its number belongs to the step that follows, which tells how many batches there were before it.
  if (step.isUncounted === true) return;
  const values = toMetrics(step);
  status.step = step.step;
  status.metrics = values;
  status.alarms += step.alarms.length;
  for (const { name, value, limit, advice } of step.alarms) {
    log.warn(
      { step: step.step, alarm: name, value, limit },
      `${name} is ${value.toPrecision(3)}, above ${limit}: ${advice}`,
    );
  }
  await sink.write({ step: step.step, at: wallClock(), values, histograms: toHistograms(step) });
  const [alarm] = step.alarms;
  if (alarm !== undefined && recipe.tinker.on_alarm === 'stop') {
    throw new TrainerError({
      kind: 'alarm',
      message: `${alarm.name} is ${alarm.value.toPrecision(3)} at step ${step.step}, above ${alarm.limit}: ${alarm.advice}. Set on_alarm to warn to go on.`,
    });
  }
}
