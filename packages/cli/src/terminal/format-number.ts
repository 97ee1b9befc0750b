/** A measured number in few characters: as many digits as tell it from its neighbours. */
export function formatNumber(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(2).replace('e+', 'e');
  if (Number.isInteger(value)) return String(value);
  return size >= 100 ? value.toFixed(1) : value.toFixed(3);
}
