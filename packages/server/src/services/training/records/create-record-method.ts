import { createDpoMethod } from '../dpo/method.ts';
import { TrainerError } from '../trainer-error.ts';
import { createKtoMethod } from '../kto/method.ts';
import { createRewardMethod } from '../reward/method.ts';
import { createSftMethod } from '../sft/method.ts';
import type { RecordMethod, RecordMethodName } from './method.ts';
import type { RecordTrainingSettings } from './settings.ts';

/** The method of a name, as the settings have it. */
export function createRecordMethod(name: RecordMethodName, settings: RecordTrainingSettings): RecordMethod {
  switch (name) {
    case 'sft':
      return createSftMethod({
        trainOn: settings.train_on,
        useRecordedTokens: settings.use_recorded_tokens,
        packTokens: settings.packing ? settings.max_tokens : undefined,
      });
    case 'dpo':
      return createDpoMethod({
        beta: settings.beta,
        labelSmoothing: settings.label_smoothing,
        chosenNllWeight: settings.chosen_nll_weight,
      });
    case 'kto':
      return createKtoMethod({
        beta: settings.beta,
        desirableWeight: settings.desirable_weight,
        undesirableWeight: settings.undesirable_weight,
      });
    case 'reward':
      return createRewardMethod();
    default:
      throw new TrainerError({
        kind: 'settings',
        message: `There is no method ${String(name satisfies never)} that learns from records.`,
      });
  }
}
