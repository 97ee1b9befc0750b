import type { ChatMessage } from '@lachesis/protocol';
import type { Datum } from '@lachesis/tinker';
import type { RecordExample, RecordMethod } from '../records/method.ts';
import { measureMargins, sumGaps } from './measure-margins.ts';
import { createOddsLoss, readScores } from './odds-loss.ts';
import { renderScored } from './render-scored.ts';

/** A reliability diagram: how much too sure the model is from this confidence in percent on. */
const GAP = 'eval/calibration_gap_';

/** A reward model from preference pairs: Bradley–Terry on the odds of a scoring token behind the reply. */
export function createRewardMethod({ decay }: { decay?: number } = {}): RecordMethod {
  const loss = createOddsLoss(decay === undefined ? {} : { decay });
  return {
    name: 'reward',
    needsReference: false,
    async toExample(record, { tokenizer, maxTokens }) {
      if (record.kind !== 'preference')
        return { skipped: 'it is no pair: a reward model learns which of two is better' };
      const { prompt, chosen, rejected, tools } = record;
      const render = (reply: readonly ChatMessage[]) =>
        renderScored({ tokenizer, messages: [...prompt, ...reply], tools: tools ?? undefined });
      const [better, worse] = await Promise.all([render(chosen), render(rejected)]);
      const datums: Datum[] = [better.good, better.bad, worse.good, worse.bad];
      const longest = Math.max(...datums.map(({ tokens }) => tokens.length)) + 1;
      if (longest > maxTokens) return { skipped: `it has ${longest} tokens, more than ${maxTokens}` };
      return { id: record.id, datums };
    },
    async pass(model, batch) {
      const { metrics } = await model.customLoss(listDatums(batch), loss);
      return {
        metrics: {
          'reward_model/loss': metrics['loss'] ?? Number.NaN,
          'reward_model/accuracy': metrics['accuracy'] ?? Number.NaN,
          'reward_model/margin': metrics['margin'] ?? Number.NaN,
          'reward_model/chosen': metrics['chosen'] ?? Number.NaN,
          'reward_model/rejected': metrics['rejected'] ?? Number.NaN,
        },
      };
    },
    async evaluate(model, batch) {
      const { logprobs } = await model.forward(listDatums(batch));
      const { accuracy, logLoss, brier, meanMargin, calibrationGaps } = measureMargins(
        readScores(logprobs).map(({ chosen, rejected }) => chosen - rejected),
      );
      return {
        metrics: {
          'eval/loss': logLoss,
          'eval/accuracy': accuracy,
          'eval/margin': meanMargin,
          'eval/brier': brier,
          ...Object.fromEntries(calibrationGaps.map((gap, bin) => [`${GAP}${50 + 5 * bin}`, gap])),
        },
        weight: batch.length,
      };
    },
    summarise: (means) => ({
      'eval/calibration_error': sumGaps(
        Object.entries(means).flatMap(([name, gap]) => (name.startsWith(GAP) ? [gap] : [])),
      ),
    }),
  };
}

const listDatums = (batch: readonly RecordExample[]): Datum[] => batch.flatMap(({ datums }) => datums);
