import type { Random } from './create-random.ts';

/** What an item may be used for; the words of the group header. */
export type Split = 'train' | 'eval';

declare const drawnFrom: unique symbol;

/**
 * An item together with the split it was drawn from. Groups are made of `Drawn<'train'>` and evaluation takes
 * `Drawn<'eval'>`: neither type fits the other, so an evaluation item cannot reach a training buffer.
 */
export interface Drawn<S extends Split> {
  readonly [drawnFrom]: S;
  readonly split: S;
  /** The same item has the same key in every process, so that two models are compared on the same questions. */
  readonly key: string;
  readonly item: unknown;
  /** Its place in the order of drawing: an item that comes again is sampled with other seeds. */
  readonly draw: number;
}

export const drawItem = <S extends Split>(split: S, key: string, item: unknown, draw = 0): Drawn<S> =>
  ({ split, key, item, draw }) as Drawn<S>;

export interface SplitItems<Item> {
  readonly train: readonly Item[];
  readonly evaluation: readonly Item[];
}

/** At least so many items are held out, unless that would leave fewer for training. */
const LEAST_HELD_OUT = 20;
const HELD_OUT_SHARE = 0.1;

/** Holds out max(20, 10 %) of the items for evaluation, or `evaluationSize` of them; the same seed holds out the same ones. */
export function splitItems<Item>(
  items: readonly Item[],
  { random, evaluationSize }: { random: Random; evaluationSize?: number | undefined },
): SplitItems<Item> {
  const wanted = evaluationSize ?? Math.max(LEAST_HELD_OUT, Math.ceil(items.length * HELD_OUT_SHARE));
  const heldOut = Math.min(wanted, Math.floor(items.length / 2));
  const order = random.fork('split').shuffle(items);
  return { train: order.slice(heldOut), evaluation: order.slice(0, heldOut) };
}
