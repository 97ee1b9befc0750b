const EIGHTHS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** Numbers as one line of blocks, from the lowest to the highest of them. More than fit are taken together as means. */
export function renderSparkline(values: readonly number[], columns: number): string {
  const shown = toColumns(values, columns);
  const low = Math.min(...shown);
  const spread = Math.max(...shown) - low;
  // A flat line says that nothing changed: it stands in the middle, neither low nor high.
  return shown.map((value) => EIGHTHS[spread === 0 ? 3 : Math.round(((value - low) / spread) * 7)]).join('');
}

/** At most so many numbers, each the mean of its neighbours. */
export function toColumns(values: readonly number[], columns: number): number[] {
  if (values.length <= columns) return [...values];
  return Array.from({ length: columns }, (_unused, column) => {
    const from = Math.floor((column * values.length) / columns);
    const part = values.slice(from, Math.max(from + 1, Math.floor(((column + 1) * values.length) / columns)));
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}
