/** The counters and gauges of a Prometheus text page, by name with labels as printed, e.g. `x_total{phase="pack"}`. */
export function parseMetrics(text: string): Map<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split('\n')) {
    const match = /^([a-zA-Z_:][\w:]*(?:\{[^}]*\})?)\s+(\S+)/.exec(line);
    if (match?.[1] !== undefined) values.set(match[1], Number(match[2]));
  }
  return values;
}

/** Reads a server's counters; empty when it has no such page, as the original does not. */
export async function readCounters(url: string | undefined): Promise<Map<string, number>> {
  if (url === undefined) return new Map();
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  return response.ok ? parseMetrics(await response.text()) : new Map<string, number>();
}

/** What each counter grew by. */
export function subtractCounters(after: Map<string, number>, before: Map<string, number>): Record<string, number> {
  return Object.fromEntries([...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)]));
}
