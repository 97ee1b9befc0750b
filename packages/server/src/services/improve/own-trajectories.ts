import {
  isAskedFor,
  isModelNamed,
  LachesisError,
  type ImprovePlan,
  type TrajectoryFilter,
  type TrajectorySummary,
} from '@lachesis/protocol';
import { countRecorded, listImprovements, listModels, listTrajectories, type Store } from '@lachesis/store';

interface Scope {
  store: Store;
  tenantId: string;
}

type Wanted = Pick<ImprovePlan, 'all_models' | 'filter' | 'model'>;

/** What an improvement may look at: what that name served, in all its versions, unless it was told otherwise. */
export async function chooseFilters({ plan, ...scope }: Scope & { plan: Wanted }): Promise<TrajectoryFilter[]> {
  const { model, filter, all_models: isAll } = plan;
  if (isAll || filter.model !== undefined) return [filter];
  const recorded = await countRecorded(scope);
  const names = recorded.map((each) => each.model).filter((name) => isModelNamed(name, model));
  return [...new Set([model, ...names])].map((name) => ({ ...filter, model: name ?? model }));
}

const PAGE = 500;

/** The trajectories themselves, in order of arrival. */
export async function listWanted(
  options: Scope & { filters: readonly TrajectoryFilter[] },
): Promise<TrajectorySummary[]> {
  const { store, tenantId, filters } = options;
  const found: TrajectorySummary[] = [];
  for (const filter of filters) {
    for (let cursor: string | undefined; ;) {
      const page = await listTrajectories({ store, tenantId, filter, limit: PAGE, cursor, order: 'oldest' });
      found.push(...page.trajectories.filter(({ source }) => isAskedFor(source, filter)));
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
  }
  return found;
}

/** How many of them came from where. */
export function countBySource(
  trajectories: readonly TrajectorySummary[],
): { model: string | null; source: string; trajectories: number }[] {
  const groups = Map.groupBy(trajectories, ({ model, source }) => JSON.stringify([model, source]));
  return [...groups.values()].map((group) => ({
    model: group[0]?.model ?? null,
    source: group[0]?.source ?? '',
    trajectories: group.length,
  }));
}

const MOST_NAMES = 10;

/** A name that nothing is known of is a slip of the pen, and nothing is written for it: throws `not-found` with those there are. */
export async function refuseUnknownModel({ plan, ...scope }: Scope & { plan: Wanted }): Promise<void> {
  const { model, filter, all_models: isAll } = plan;
  const registered = (await listModels(scope)).map(({ name }) => name);
  const recorded = (await countRecorded(scope)).flatMap((each) => (each.model === null ? [] : [each.model]));
  const source = filter.model;
  const isFound = (name: string): boolean =>
    registered.includes(name) || recorded.some((other) => isModelNamed(other, name));
  // Whoever says where its ratings come from may give the result a new name.
  const unknown = [source ?? (isAll ? undefined : model)].find((name) => name !== undefined && !isFound(name));
  if (unknown === undefined) return;
  // One that is open knows its name.
  if ((await listImprovements({ ...scope, model })).some(({ endedAt }) => endedAt === null)) return;
  const names = [...new Set([...registered, ...recorded])];
  const some = names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ', …' : '');
  throw new LachesisError({
    code: 'not-found',
    message: `nothing is recorded or registered by the name ${JSON.stringify(unknown.slice(0, 100))}${names.length === 0 ? '' : `; there are ${some}`}`,
    hint:
      names.length === 0
        ? '`lachesis up` records what an agent does, and `lachesis rate` rates it.'
        : source === undefined
          ? 'Give one of those as --model. --of-model <name> takes the ratings of another model, --all-models those of all.'
          : '`lachesis trajectories list` shows which models were recorded.',
  });
}
