import type { Store } from '../database/store.ts';
import type { LineageArrow, LineageKind, LineageNode, LineageRelation } from './lineage-arrow.ts';

/** Well below what both engines take as parameters of one statement. */
const PORTION = 1_000;

/** A data set of a million rows has a million origins; whoever wants them all says so. */
const DEFAULT_LIMIT = 10_000;

export interface TraceOptions {
  store: Store;
  tenantId: string;
  /** One record, or several that are asked about together. */
  from: LineageNode | readonly LineageNode[];
  /** Records after which the search ends. */
  limit?: number;
}

export interface TracedNode extends LineageNode {
  /** Arrows between it and the start; the start itself is not in the list. */
  distance: number;
}

/** What was found along the arrows from one thing, and whether a limit cut it off. */
export interface Trace {
  /** The nearest first. */
  nodes: TracedNode[];
  arrows: LineageArrow[];
  /** True when the limit ended the search: there may be more. */
  isCut: boolean;
}

/** Everything that was made of a record: from a rating to the models that learned from it. */
export function traceForward(options: TraceOptions): Promise<Trace> {
  return trace(options, 'forward');
}

/** Everything that a record was made of: from a served reply to the feedback that shaped its model. */
export function traceBack(options: TraceOptions): Promise<Trace> {
  return trace(options, 'back');
}

async function trace(options: TraceOptions, direction: 'back' | 'forward'): Promise<Trace> {
  const { from, limit = DEFAULT_LIMIT } = options;
  const starts = 'kind' in from ? [from] : from;
  const seen = new Set(starts.map((node) => nameOf(node)));
  const found: Trace = { nodes: [], arrows: [], isCut: false };
  let edge: readonly LineageNode[] = starts;
  for (let distance = 1; edge.length > 0; distance += 1) {
    const next: LineageNode[] = [];
    for (const arrow of await readArrows({ ...options, direction, edge, withAnswers: distance === 1 })) {
      const node = direction === 'forward' ? arrow.to : arrow.from;
      if (!seen.has(nameOf(node))) {
        if (found.nodes.length >= limit) return { ...found, isCut: true };
        seen.add(nameOf(node));
        found.nodes.push({ ...node, distance });
        next.push(node);
      }
      found.arrows.push(arrow);
    }
    edge = next;
  }
  return found;
}

const nameOf = ({ kind, id }: LineageNode): string => `${kind} ${id}`;

async function readArrows(
  options: TraceOptions & {
    direction: 'back' | 'forward';
    edge: readonly LineageNode[];
    /** A reply of a model does not hold what the model learned from, so the way through replies ends with the first step. */
    withAnswers: boolean;
  },
): Promise<LineageArrow[]> {
  const { store, tenantId, direction, edge, withAnswers, limit = DEFAULT_LIMIT } = options;
  const [kindColumn, idColumn] =
    direction === 'forward' ? (['from_kind', 'from_id'] as const) : (['to_kind', 'to_id'] as const);
  const arrows: LineageArrow[] = [];
  for (const [kind, nodes] of Map.groupBy(edge, (node) => node.kind)) {
    for (let start = 0; start < nodes.length; start += PORTION) {
      const ids = nodes.slice(start, start + PORTION).map(({ id }) => id);
      let query = store.db
        .selectFrom('lineage')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where(kindColumn, '=', kind)
        .where(idColumn, 'in', ids);
      if (!withAnswers) query = query.where('relation', '!=', 'answered' satisfies LineageRelation);
      const rows = await query
        .orderBy('at')
        .orderBy('from_id')
        .orderBy('to_id')
        .limit(limit + 1)
        .execute();
      arrows.push(
        ...rows.map((row) => ({
          from: { kind: row.from_kind as LineageKind, id: row.from_id },
          to: { kind: row.to_kind as LineageKind, id: row.to_id },
          relation: row.relation as LineageRelation,
        })),
      );
    }
  }
  return arrows;
}
