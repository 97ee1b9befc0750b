const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** `1.5 GB`: a size for people, in powers of a thousand. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : String(Math.round(value))} ${UNITS[power]}`;
}
