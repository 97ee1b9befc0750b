/** `8 s`, `12 min 04 s`, `3 h 20 min`, `2 d 5 h`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (value: number): string => String(value).padStart(2, '0');
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  if (whole < 86_400) return `${Math.floor(whole / 3_600)} h ${two(Math.floor((whole % 3_600) / 60))} min`;
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3_600)} h`;
}

/** In the largest unit that gives a whole number of at most three digits. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 100) return `${seconds}s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)}h`;
  return `${Math.round(seconds / 86_400)}d`;
}

/** `140 ms`, `2.4 s`, `12 s`, and as `formatDuration` from a minute on. */
export function formatMs(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 9_950 ? `${(ms / 1_000).toFixed(1)} s` : formatDuration(ms / 1_000);
}
