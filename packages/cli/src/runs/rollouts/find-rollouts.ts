import type { RolloutGroup, RolloutOutline, RolloutStep } from '@lachesis/protocol';
import type { ControlClient } from '@lachesis/sdk';

export type RolloutClient = Pick<ControlClient, 'listSteps' | 'readGroup' | 'readStep'>;

/** Which rollouts are wanted. */
export interface RolloutWish {
  /** The newest step that has any when absent. */
  step?: number | undefined;
  item?: string | undefined;
  /** By score over the whole step; in the order of the batch when absent. */
  order?: 'best' | 'worst' | undefined;
  limit: number;
  /** Whether tokens and log probabilities are wanted too. */
  tokens: boolean;
}

/** One sequence of a step, with the group it belongs to. */
export interface FoundRollout {
  group: RolloutGroup;
  /** Its place in the group. */
  sequence: number;
}

export interface FoundRollouts {
  step: RolloutStep;
  /** All groups that fit, those that are not shown too. */
  outlines: RolloutOutline[];
  rollouts: FoundRollout[];
  /** Sequences that fit and are not among `rollouts`. */
  leftOut: number;
}

/** The rollouts of a step that somebody wants to see. */
export async function findRollouts(client: RolloutClient, runId: string, wish: RolloutWish): Promise<FoundRollouts> {
  const number = wish.step ?? (await findNewestStep(client, runId, wish.item));
  const { step, outlines: all } = await readWholeStep(client, runId, number);
  const outlines = wish.item === undefined ? all : all.filter(({ item }) => item === wish.item);
  if (outlines.length === 0 && wish.item !== undefined) {
    throw new Error(
      `step ${number} of run ${runId} has no group of item ${JSON.stringify(wish.item)}. It has ${listSome(all.map(({ item }) => item))}.`,
    );
  }
  const places = outlines.flatMap((outline) =>
    outline.lengths.map((_, sequence) => ({ outline, sequence, score: outline.scores[sequence] ?? null })),
  );
  const ordered = wish.order === undefined ? places : orderByScore(places, wish.order);
  const chosen = ordered.slice(0, wish.limit);
  const groups = new Map<string, RolloutGroup>();
  for (const { outline } of chosen) {
    if (groups.has(outline.group_id)) continue;
    groups.set(outline.group_id, await client.readGroup(runId, outline.group_id, { tokens: wish.tokens }));
  }
  const rollouts = chosen.flatMap(({ outline, sequence }) => {
    const group = groups.get(outline.group_id);
    return group === undefined ? [] : [{ group, sequence }];
  });
  return { step, outlines, rollouts, leftOut: ordered.length - chosen.length };
}

/** The same item at two steps. Without a name it is the first one that both trained on. */
export async function findPair(
  client: RolloutClient,
  runId: string,
  wish: Omit<RolloutWish, 'step'> & { steps: readonly [number, number] },
): Promise<{ item: string; sides: [FoundRollouts, FoundRollouts] }> {
  const [first, second] = wish.steps;
  const [before, after] = await Promise.all([
    readWholeStep(client, runId, first),
    readWholeStep(client, runId, second),
  ]);
  const known = new Set(after.outlines.map(({ item }) => item));
  const item = wish.item ?? before.outlines.find((outline) => known.has(outline.item))?.item;
  if (item === undefined) {
    throw new Error(
      `steps ${first} and ${second} of run ${runId} have no item in common: ${first} has ${listSome(before.outlines.map((outline) => outline.item))}, ` +
        `${second} has ${listSome([...known])}. \`lachesis rollouts ${runId} --item <item>\` finds the newest step of one.`,
    );
  }
  const sides = await Promise.all([
    findRollouts(client, runId, { ...wish, item, step: first }),
    findRollouts(client, runId, { ...wish, item, step: second }),
  ]);
  return { item, sides };
}

/** Every group of a step, page after page. */
export async function readWholeStep(
  client: Pick<RolloutClient, 'readStep'>,
  runId: string,
  number: number,
): Promise<{ step: RolloutStep; outlines: RolloutOutline[] }> {
  const outlines: RolloutOutline[] = [];
  let start: number | null = 0;
  for (;;) {
    const page: Awaited<ReturnType<RolloutClient['readStep']>> = await client.readStep(runId, number, { start });
    outlines.push(...page.groups);
    start = page.next;
    if (start === null) return { step: page.step, outlines };
  }
}

async function findNewestStep(client: RolloutClient, runId: string, item: string | undefined): Promise<number> {
  const { steps } = await client.listSteps(runId, { limit: 20, ...(item === undefined ? {} : { item }) });
  const [newest] = steps;
  if (newest === undefined) {
    throw new Error(
      item === undefined
        ? `run ${runId} has made no step yet, so there are no rollouts to show.`
        : `no step of run ${runId} trained on item ${JSON.stringify(item)}. \`lachesis rollouts ${runId}\` names items.`,
    );
  }
  // The last one may be on its way; its groups are shown when it is the only one.
  return (steps.find(({ is_kept: isKept, mean_reward: reward }) => isKept && reward !== null) ?? newest).step;
}

/** What has no score is neither good nor bad: it comes last. */
function orderByScore<T extends { score: number | null }>(places: readonly T[], order: 'best' | 'worst'): T[] {
  const sign = order === 'best' ? -1 : 1;
  return places.toSorted((a, b) => {
    if (a.score === null || b.score === null) return Number(a.score === null) - Number(b.score === null);
    return sign * (a.score - b.score);
  });
}

const MOST_NAMED = 5;

function listSome(items: readonly string[]): string {
  const names = [...new Set(items)];
  const rest = names.length - MOST_NAMED;
  return names.length === 0 ? 'none' : `${names.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
