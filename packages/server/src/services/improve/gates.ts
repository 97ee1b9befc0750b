import type { ImprovePlan } from '@lachesis/protocol';
import type { ImproveStage, LastImprovement, StageContents } from './stages.ts';

/** How an improvement can end. */
export const IMPROVE_OUTCOMES = [
  'promoted',
  'not-better',
  'nothing-new',
  'overtaken',
  'too-few-held-out',
  'too-few-ratings',
  'too-few-rows',
] as const;

/** Somebody ended it before a gate did. What it was to learn from is there for the next one. */
export const STOPPED = 'stopped';

export type ImproveOutcome = (typeof IMPROVE_OUTCOMES)[number];

export interface Ending {
  readonly outcome: ImproveOutcome;
  readonly reason: string;
}

/** Whether an improvement ends with this stage; undefined when the gate behind it is open. */
export function judgeStage<Stage extends ImproveStage>(
  stage: Stage,
  content: StageContents[Stage],
  plan: ImprovePlan,
  done: Partial<StageContents> = {},
): Ending | undefined {
  return (gates[stage] as Gate<Stage>)(content, plan, done.collect?.last ?? null);
}

type Gate<Stage extends ImproveStage> = (
  content: StageContents[Stage],
  plan: ImprovePlan,
  last: LastImprovement | null,
) => Ending | undefined;

const open = (): undefined => undefined;

const gates: { readonly [Stage in ImproveStage]: Gate<Stage> } = {
  collect: open,
  filter: open,
  rate: ({ ratings }, { min_ratings: least, again }, last) => {
    if (ratings === 0 && last !== null && !again) return { outcome: 'nothing-new', reason: describeOld(last) };
    if (ratings >= least) return undefined;
    return {
      outcome: 'too-few-ratings',
      reason: `${ratings} new ratings, and ${least} are asked for: rate more, or give --min-ratings`,
    };
  },
  dataset: ({ dataset, rows, held_out_rows: heldOut, left_out: leftOut }, plan, last) => {
    if (dataset !== null && last !== null && last.model !== null && dataset === last.dataset && !plan.again) {
      const reason = `the new ratings add no row to ${dataset}: ${describeOld(last)}`;
      return { outcome: 'nothing-new', reason };
    }
    if (rows < plan.min_rows) {
      const why = leftOut.map(({ reason, count }) => `${count} × ${reason}`).join('; ');
      return {
        outcome: 'too-few-rows',
        reason: `${rows} rows to train on, and ${plan.min_rows} are asked for${why === '' ? '' : ` (left out: ${why})`}`,
      };
    }
    if (heldOut >= plan.min_items) return undefined;
    return {
      outcome: 'too-few-held-out',
      reason: `${heldOut} rows to measure with, and ${plan.min_items} are asked for: rate more, or give a larger --held-out share`,
    };
  },
  train: open,
  evaluate: ({ items, difference, interval, preferred_shift: shift }, plan) => {
    if (items < plan.min_items) {
      const reason = `only ${items} items could be scored for both models, and ${plan.min_items} are asked for`;
      return { outcome: 'too-few-held-out', reason };
    }
    // Written so that what is not a number is not better.
    const isBetter = difference > plan.min_gain && interval !== null && interval[0] > 0;
    const gain = describeGain({ items, difference, interval });
    if (!isBetter) return { outcome: 'not-better', reason: gain };
    if (shift === null || shift >= -plan.max_fall) return undefined;
    const fall = `the preferred replies became less likely by ${(-shift).toFixed(2)} nats a token, and ${plan.max_fall} are allowed`;
    return {
      outcome: 'not-better',
      reason: `${gain}, but ${fall}: train less, or hold them up with chosen_nll_weight`,
    };
  },
  promote: ({ model, overtaken_by: other }) =>
    other === null
      ? { outcome: 'promoted', reason: `${model} is served` }
      : { outcome: 'overtaken', reason: `${other} was promoted meanwhile, and ${model} was not measured against it` },
};

/** What was learnt already, and how to learn it again. */
function describeOld({ outcome, ended_at: endedAt, model, ratings, rows }: LastImprovement): string {
  const at = new Date(endedAt).toISOString().slice(0, 16).replace('T', ' ');
  const learnt = `${ratings} ratings, ${rows} rows, ${outcome} at ${at}`;
  return `nothing new since ${model ?? 'the improvement before'} (${learnt}); rate more, or give --again`;
}

/** The measured difference, for people. */
export function describeGain({
  items,
  difference,
  interval,
}: Pick<StageContents['evaluate'], 'difference' | 'interval' | 'items'>): string {
  const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
  const between = interval === null ? 'no interval' : `95 %: ${signed(interval[0])} to ${signed(interval[1])}`;
  return `paired difference ${signed(difference)} on ${items} held-out items (${between})`;
}
