const PIECES = 24;

export interface TimelinePiece {
  /** When it begins. */
  at: string;
  kept: number;
  cost: number;
}

/** Counts rows and dollars by equal pieces of the time they took together. */
export function createTimeline(): { add(at: number, cost: number): void; read(): TimelinePiece[] } {
  const rows: { at: number; cost: number }[] = [];
  return {
    add(at, cost) {
      if (!Number.isNaN(at)) rows.push({ at, cost });
    },
    read() {
      if (rows.length === 0) return [];
      let [from, to] = [Number.POSITIVE_INFINITY, 0];
      for (const { at } of rows) [from, to] = [Math.min(from, at), Math.max(to, at)];
      const width = Math.max(1, (to - from) / PIECES);
      const count = to === from ? 1 : PIECES;
      const pieces = Array.from({ length: count }, (_, place) => ({
        ...{ at: new Date(from + place * width).toISOString(), kept: 0, cost: 0 },
      }));
      for (const { at, cost } of rows) {
        const piece = pieces[Math.min(count - 1, Math.floor((at - from) / width))];
        if (piece === undefined) continue;
        piece.kept += 1;
        piece.cost = Number((piece.cost + cost).toFixed(6));
      }
      return pieces;
    },
  };
}
