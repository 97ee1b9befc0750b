import type { TrainerItems } from '@lachesis/protocol';
import { ConfigError } from '../../config/config-error.ts';
import type { BaseConfig } from '../config/base-config.ts';
import type { Outcome } from '../outcome.ts';
import { isCorrect } from '../runner/rollout-metrics.ts';
import type { Drawn } from '../split.ts';
import { createReplay } from './create-replay.ts';

export type CurriculumConfig = Pick<
  BaseConfig,
  'curriculum' | 'group_size' | 'max_pass_rate' | 'min_pass_rate' | 'replay_rare'
>;

type ItemRate = TrainerItems['rates'][number];

/** Which training item is next, by how the items did so far. */
export interface Curriculum {
  /** The next item; undefined when the environment has none. */
  draw(): Promise<Drawn<'train'> | undefined>;
  /** What the rollouts of an item gave. */
  rate(key: string, outcomes: readonly Outcome[]): void;
  /** Rates of an earlier process. What was seen here goes before them. */
  know(rates: readonly ItemRate[]): void;
  /** The rates that changed since the last call. */
  takeChanged(): ItemRate[];
  /** Items that were passed over, and items that came again for a rare success, since the last call. */
  takeCounts(): { setAside: number; replayed: number };
}

/** The policy moves on, so what an item did the time before counts half. */
const KEPT_SHARE = 0.5;
/** An item that is set aside is tried again each so many times that it would have come. */
const TRIED_AGAIN_EACH = 4;
/** Where nothing else is left, an item that is set aside is better than none. */
const MOST_PASSED_OVER = 1_000;
/** Among so many items the order is the curriculum's own; further apart they stay as they were drawn. */
const LOOK_AHEAD = 16;
/** An item that others went before so often is next. */
const MOST_OVERTAKEN = 2 * LOOK_AHEAD;

/**
 * Draws as the environment does, and sets aside items whose pass rate is out of bounds; of the next few it takes the one that
 * the configuration prefers. Every item comes again after some time: what was too hard once may not be any more.
 */
export function createCurriculum({
  config,
  drawAt,
  start,
}: {
  config: CurriculumConfig;
  drawAt: (position: number) => Promise<Drawn<'train'> | undefined>;
  /** Where the order begins. */
  start: number;
}): Curriculum {
  const { curriculum, min_pass_rate: lowest, max_pass_rate: highest, group_size: groupSize } = config;
  refuseEmptyRange(config);
  const rates = new Map<string, ItemRate>();
  const changed = new Set<string>();
  const timesSetAside = new Map<string, number>();
  const replay = createReplay({ share: config.replay_rare, rateOf: (key) => rates.get(key) });
  const ready: { drawn: Drawn<'train'>; overtaken: number }[] = [];
  let position = start;
  let setAside = 0;
  let turn: Promise<unknown> = Promise.resolve();

  const isOutside = (key: string): boolean => {
    const rate = rates.get(key);
    if (rate === undefined || rate.rollouts < groupSize) return false;
    const share = rate.passed / rate.rollouts;
    return share < lowest || share > highest;
  };

  const mustWait = (key: string): boolean => {
    if (!isOutside(key)) return false;
    const times = (timesSetAside.get(key) ?? 0) + 1;
    timesSetAside.set(key, times % TRIED_AGAIN_EACH);
    return times < TRIED_AGAIN_EACH;
  };

  async function drawInBounds(): Promise<Drawn<'train'> | undefined> {
    for (let passedOver = 0; ; passedOver += 1) {
      const drawn = await drawAt(position++);
      if (drawn === undefined || passedOver === MOST_PASSED_OVER || !mustWait(drawn.key)) return drawn;
      setAside += 1;
    }
  }

  /** Lower is taken sooner. An item that nobody tried is taken for one that half of the replies get right. */
  const costOf = (key: string): number => {
    const { rollouts = 0, passed = 0 } = rates.get(key) ?? {};
    const expected = (passed + 1) / (rollouts + 2);
    return curriculum === 'easy_first' ? -expected : Math.abs(expected - 0.5);
  };

  async function next(): Promise<Drawn<'train'> | undefined> {
    const again = replay.take();
    if (again !== undefined) return again;
    const drawn = await drawInOrder();
    if (drawn !== undefined) replay.see(drawn);
    return drawn;
  }

  async function drawInOrder(): Promise<Drawn<'train'> | undefined> {
    if (curriculum === 'none') return drawInBounds();
    while (ready.length < LOOK_AHEAD) {
      const drawn = await drawInBounds();
      if (drawn === undefined) break;
      ready.push({ drawn, overtaken: 0 });
    }
    const [oldest] = ready;
    if (oldest === undefined) return undefined;
    const best =
      oldest.overtaken >= MOST_OVERTAKEN
        ? oldest
        : ready.reduce((first, each) => (costOf(each.drawn.key) < costOf(first.drawn.key) ? each : first));
    const index = ready.indexOf(best);
    for (const each of ready.slice(0, index)) each.overtaken += 1;
    ready.splice(index, 1);
    return best.drawn;
  }

  return {
    draw() {
      // One after the other: two that draw at once would each fill the same places.
      const drawn = turn.then(next);
      turn = drawn.catch(() => undefined);
      return drawn;
    },
    rate(key, outcomes) {
      const scored = outcomes.filter(({ kind }) => kind === 'scored');
      if (scored.length === 0) return;
      const { rollouts = 0, passed = 0 } = rates.get(key) ?? {};
      rates.set(key, {
        item: key,
        rollouts: rollouts * KEPT_SHARE + scored.length,
        passed: passed * KEPT_SHARE + scored.filter(isCorrect).length,
      });
      changed.add(key);
    },
    know(known) {
      for (const rate of known) if (!rates.has(rate.item)) rates.set(rate.item, rate);
    },
    takeChanged() {
      const taken = [...changed].map((key) => rates.get(key)!);
      changed.clear();
      return taken;
    },
    takeCounts() {
      const taken = { setAside, replayed: replay.takeCount() };
      setAside = 0;
      return taken;
    },
  };
}

/** Whether anything is chosen by rates at all. */
export const hasCurriculum = ({
  curriculum,
  min_pass_rate: lowest,
  max_pass_rate: highest,
  replay_rare: replayed,
}: CurriculumConfig): boolean => curriculum !== 'none' || lowest > 0 || highest < 1 || replayed > 0;

function refuseEmptyRange({ min_pass_rate: lowest, max_pass_rate: highest }: CurriculumConfig): void {
  if (lowest < highest) return;
  throw new ConfigError({
    kind: 'bad-value',
    path: 'env.min_pass_rate',
    reason: `No item has a pass rate of at least ${lowest} and at most ${highest}.`,
    hint: 'Give env.max_pass_rate a higher number than env.min_pass_rate: --env.min_pass_rate 0.1 --env.max_pass_rate 0.9.',
  });
}
