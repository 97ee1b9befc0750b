import type { BatchEstimator } from '../advantages.ts';
import type { OwnAdvantage } from './own-code.ts';

/** An advantage of an author as an estimator of the trainer, which gets what it needs or says what is wrong. */
export function toEstimator(own: OwnAdvantage): BatchEstimator {
  return {
    estimateBatch(groups) {
      const given: unknown = own.advantage({
        groups: groups.map((group) => ({
          scores: group.scores,
          trainedTokens: group.trainedTokens,
          get sequences() {
            return group.sequences ?? [];
          },
        })),
      });
      if (!Array.isArray(given) || given.length !== groups.length) {
        throw refuse(own, `gives ${describeLength(given)} for ${groups.length} groups`);
      }
      return groups.map(({ scores }, index) => {
        const values = Float64Array.from(given[index] as ArrayLike<number>);
        if (values.length !== scores.length) {
          throw refuse(own, `gives ${values.length} numbers for the ${scores.length} rollouts of group ${index}`);
        }
        const wrong = values.findIndex((value) => !Number.isFinite(value));
        if (wrong !== -1) throw refuse(own, `gives ${values[wrong]} for rollout ${wrong} of group ${index}`);
        return values;
      });
    },
  };
}

const describeLength = (given: unknown): string => (Array.isArray(given) ? `${given.length} lists` : 'no list');

const refuse = ({ name }: OwnAdvantage, reason: string): RangeError =>
  new RangeError(`the advantage ${name} ${reason}`);
