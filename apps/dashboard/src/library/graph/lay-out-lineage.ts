import type { Lineage } from '@lachesis/protocol';

export type LineageNode = Lineage['from'];

/** One box of the graph: a thing, or what stands for the rest of a kind. */
export interface Box {
  key: string;
  kind: LineageNode['kind'];
  /** Undefined for the rest of a kind. */
  id: string | undefined;
  label: string;
  column: number;
  row: number;
}

export interface Edge {
  from: string;
  to: string;
  relation: string;
}

export interface Graph {
  boxes: Box[];
  edges: Edge[];
  columns: number;
  rows: number;
  /** In which column the thing itself stands. */
  middle: number;
}

/** Of one kind in one column so many are drawn; the rest is one box until somebody asks for them. */
const SHOWN = 6;
/** What is drawn first in a column: what people look for. */
const ORDER: readonly LineageNode['kind'][] = ['model', 'dataset', 'run', 'checkpoint', 'trajectory', 'feedback'];

export const keyOf = ({ kind, id }: LineageNode): string => `${kind}:${id}`;

/** What a thing was made from to its left, what was made of it to its right, each as far away as it is. */
export function layOutLineage(lineage: Lineage, whole: ReadonlySet<string> = new Set()): Graph {
  const { from, back, forward, names } = lineage;
  const behind = Math.max(0, ...back.nodes.map(({ distance }) => distance));
  const places = new Map<string, { node: LineageNode; column: number }>();
  const place = (node: LineageNode, column: number): void => {
    if (!places.has(keyOf(node))) places.set(keyOf(node), { node, column });
  };
  place(from, behind);
  for (const { distance, ...node } of back.nodes) place(node, behind - distance);
  for (const { distance, ...node } of forward.nodes) place(node, behind + distance);

  const boxes: Box[] = [];
  /** The box that a thing is drawn in. */
  const drawn = new Map<string, string>();
  const columns = Map.groupBy(places.values(), ({ column }) => column);
  for (const [column, found] of columns) {
    let row = 0;
    const kinds = Map.groupBy(found, ({ node }) => node.kind);
    for (const kind of ORDER) {
      const all = kinds.get(kind) ?? [];
      const isWhole = whole.has(kind) || all.length <= SHOWN;
      const shown = isWhole ? all : all.slice(0, SHOWN - 1);
      for (const { node } of shown) {
        const key = keyOf(node);
        drawn.set(key, key);
        boxes.push({ key, kind, id: node.id, label: names[node.id] ?? shorten(node.id), column, row });
        row += 1;
      }
      if (isWhole) continue;
      const key = `rest:${column}:${kind}`;
      for (const { node } of all.slice(shown.length)) drawn.set(keyOf(node), key);
      boxes.push({ key, kind, id: undefined, label: `${all.length - shown.length} more`, column, row });
      row += 1;
    }
  }
  const edges = new Map<string, Edge>();
  for (const arrow of [...back.arrows, ...forward.arrows]) {
    const [start, end] = [drawn.get(keyOf(arrow.from)), drawn.get(keyOf(arrow.to))];
    if (start === undefined || end === undefined || start === end) continue;
    edges.set(`${start} ${end} ${arrow.relation}`, { from: start, to: end, relation: arrow.relation });
  }
  return {
    boxes,
    edges: [...edges.values()],
    columns: Math.max(...boxes.map(({ column }) => column)) + 1,
    rows: Math.max(...boxes.map(({ row }) => row)) + 1,
    middle: behind,
  };
}

/** Ids that were made at one time begin alike: both ends tell them apart. */
const shorten = (id: string): string => (id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id);
