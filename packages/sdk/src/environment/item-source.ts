import type { ItemContext } from './definition.ts';
import { drawItem, type Drawn, type Split } from './split.ts';

/** Items made one by one, each from its number and its own random source. */
export interface ItemGenerator<Item, Own, State> {
  /** How many there are; absent means no end, which only training may have. */
  readonly count?: number;
  readonly generate: (index: number, context: ItemContext<Own, State>) => Item | Promise<Item>;
}

/** A list, a generator, or a function that reads the list when the environment is set up. */
export type ItemSource<Item, Own = Record<string, unknown>, State = unknown> =
  | readonly Item[]
  | ItemGenerator<Item, Own, State>
  | ((context: ItemContext<Own, State>) => readonly Item[] | Promise<readonly Item[]>);

/** Items for training and items for evaluation. There is no way from one to the other. */
export interface ItemSources<Item, Own = Record<string, unknown>, State = unknown> {
  readonly train: ItemSource<Item, Own, State>;
  readonly evaluation: ItemSource<Item, Own, State>;
}

export interface OpenedItems<S extends Split> {
  /** Undefined: no end. */
  readonly count: number | undefined;
  at(index: number, draw?: number): Promise<Drawn<S>>;
}

export async function openItems<S extends Split>({
  split,
  source,
  context,
}: {
  split: S;
  source: ItemSource<unknown>;
  context: ItemContext;
}): Promise<OpenedItems<S>> {
  if (typeof source === 'object' && 'generate' in source) {
    return {
      count: source.count,
      at: async (index, draw) => {
        const random = context.random.fork(split, 'item', index);
        return drawItem(split, `${split}-${index}`, await source.generate(index, { ...context, random }), draw);
      },
    };
  }
  const list = typeof source === 'function' ? await source(context) : source;
  return { count: list.length, at: async (index, draw) => drawItem(split, `${split}-${index}`, list[index], draw) };
}

/** The endless order of training: all items in a seeded order, then all again in another. */
export function createTrainOrder(
  items: OpenedItems<'train'>,
  context: ItemContext,
): (index: number) => Promise<Drawn<'train'> | undefined> {
  const { count } = items;
  if (count === undefined) return (index) => items.at(index, index);
  const indices = Array.from({ length: count }, (_, index) => index);
  let cached = { epoch: -1, order: indices };
  return async (index) => {
    if (count === 0) return undefined;
    const epoch = Math.floor(index / count);
    if (cached.epoch !== epoch) cached = { epoch, order: context.random.fork('epoch', epoch).shuffle(indices) };
    return items.at(cached.order[index % count] ?? 0, index);
  };
}

/** All items of the evaluation split, or the first `size` of them, in their own order. */
export async function listEvaluationItems(
  items: OpenedItems<'eval'>,
  size: number | undefined,
): Promise<readonly Drawn<'eval'>[]> {
  const count = Math.min(items.count ?? size ?? 0, size ?? Number.POSITIVE_INFINITY);
  return Promise.all(Array.from({ length: count }, (_, index) => items.at(index)));
}
