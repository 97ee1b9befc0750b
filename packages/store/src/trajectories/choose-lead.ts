import type { TrajectoryFilter } from '@lachesis/protocol';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Store } from '../database/store.ts';
import { toFtsQuery } from './search-words.ts';
import type { SearchTerm } from './search-words.ts';

/** So many rows are fetched and sorted in a few milliseconds. */
const FEW = 2_000;
/** Asking the full-text index about one row takes as long as fetching some twenty. */
const FEW_WITH_WORDS = 1_000;

/** A way to come to the trajectories of a filter on SQLite: rows of an index with `trajectory_id`. */
export interface Lead {
  /** What follows `from` in `select trajectory_id from …`, conditions included. */
  source: RawBuilder<unknown>;
  /** Its rows come in the order of `trajectory_id`. */
  isOrdered: boolean;
}

type ChosenLead =
  /** Fetch all of its few rows, sort them. */
  | { kind: 'few'; lead: Lead }
  /** Go along it until the page is full. */
  | { kind: 'along'; lead: Lead }
  /** Take the page from the index alone: nothing else is asked for. */
  | { kind: 'alone'; lead: Lead }
  /** The words lead; one of them is the rarest. */
  | { kind: 'words'; term: SearchTerm }
  /** Go along all trajectories until the page is full. */
  | { kind: 'all' };

/** Counts up to a few rows of each index that fits the filter and takes the shortest. */
export async function chooseLead(options: {
  store: Store;
  tenantId: string;
  filter: TrajectoryFilter;
  terms: readonly SearchTerm[];
}): Promise<ChosenLead> {
  const { store, terms } = options;
  const leads = listLeads(options);
  const counts = await countFew(store, leads, terms);
  const smallest = (from: number, to: number): number => {
    let best = from;
    for (let index = from; index < to; index += 1) if (counts[index]! < counts[best]!) best = index;
    return best;
  };
  const rarest = terms.length === 0 ? undefined : smallest(leads.length, counts.length);
  const shortest = leads.length === 0 ? undefined : smallest(0, leads.length);
  const few = rarest === undefined ? FEW : Math.min(FEW_WITH_WORDS, counts[rarest]! - 1);
  if (shortest !== undefined && counts[shortest]! <= few) return { kind: 'few', lead: leads[shortest]! };
  if (rarest !== undefined) return { kind: 'words', term: terms[rarest - leads.length]! };
  const ordered = leads.find(({ isOrdered }) => isOrdered);
  if (ordered !== undefined) return { kind: 'along', lead: ordered };
  if (
    leads.length === 1 &&
    Object.values(options.filter).filter((value) => value !== undefined).length <= countOf(options.filter)
  ) {
    return { kind: 'alone', lead: leads[0]! };
  }
  return { kind: 'all' };
}

/** How many fields of the filter its one range lead answers: a least and a most of the same figure. */
function countOf(filter: TrajectoryFilter): number {
  const ranges: (readonly (keyof TrajectoryFilter)[])[] = [
    ['min_reward', 'max_reward'],
    ['min_rating', 'max_rating'],
    ['min_turns', 'max_turns'],
    ['min_tokens', 'max_tokens'],
    ['since', 'until'],
  ];
  return Math.max(1, ...ranges.map((names) => names.filter((name) => filter[name] !== undefined).length));
}

async function countFew(store: Store, leads: readonly Lead[], terms: readonly SearchTerm[]): Promise<number[]> {
  const counts = [
    ...leads.map(({ source }) => sql`select count(*) from (select 1 from ${source} limit ${FEW + 1})`),
    ...terms.map(
      (term) =>
        sql`select count(*) from (select 1 from turn_search where turn_search match ${toFtsQuery(term)} limit ${FEW + 1})`,
    ),
  ];
  if (counts.length === 0) return [];
  const columns = counts.map((count, index) => sql`(${count}) as ${sql.raw(`c${index}`)}`);
  const { rows } = await sql<Record<string, number>>`select ${sql.join(columns)}`.execute(store.db);
  return counts.map((_count, index) => rows[0]?.[`c${index}`] ?? 0);
}

function listLeads({ tenantId, filter }: { tenantId: string; filter: TrajectoryFilter }): Lead[] {
  const leads: Lead[] = [];
  const own = (index: string): RawBuilder<unknown> =>
    sql`trajectories indexed by ${sql.raw(`trajectories_by_${index}`)} where tenant_id = ${tenantId}`;
  const equal = (index: string, column: string, value: string | undefined, isOrdered = true): void => {
    if (value === undefined) return;
    leads.push({ source: sql`${own(index)} and ${sql.raw(column)} = ${value}`, isOrdered });
  };
  const range = (index: string, column: string, least: number | undefined, most: number | undefined): void => {
    if (least === undefined && most === undefined) return;
    const name = sql.raw(column);
    const from = least === undefined ? sql`and ${name} is not null` : sql`and ${name} >= ${least}`;
    const to = most === undefined ? sql`` : sql`and ${name} <= ${most}`;
    leads.push({ source: sql`${own(index)} ${from} ${to}`, isOrdered: false });
  };
  equal('key', 'key', filter.key);
  equal('user', 'user_name', filter.user);
  if (filter.tag !== undefined) {
    leads.push({ source: sql`trajectory_tags where tenant_id = ${tenantId} and tag = ${filter.tag}`, isOrdered: true });
  }
  if (filter.tool !== undefined) {
    leads.push({ source: sql`tool_calls where tenant_id = ${tenantId} and tool = ${filter.tool}`, isOrdered: true });
  }
  equal('model', 'model', filter.model);
  equal('outcome', 'outcome', filter.outcome);
  equal('source', 'source', filter.source);
  equal('run', 'run_id', filter.run, false);
  if (filter.has_error === true) leads.push({ source: sql`${own('error')} and error_count > 0`, isOrdered: true });
  if (filter.has_feedback === true) {
    leads.push({ source: sql`${own('feedback')} and feedback_count > 0`, isOrdered: true });
  }
  range('reward', 'reward', filter.min_reward, filter.max_reward);
  range('rating', 'rating', filter.min_rating, filter.max_rating);
  range('tokens', 'token_count', filter.min_tokens, filter.max_tokens);
  range('turns', 'turn_count', filter.min_turns, filter.max_turns);
  range('updated', 'updated_at', filter.since, filter.until === undefined ? undefined : filter.until - 1);
  return leads;
}
