/**
 * The shortest text of a double that Python reads back as a float: always with a fraction or an exponent. `NaN` and the
 * infinities get the names Python's `json` uses; a caller that must not write those checks first.
 */
export function formatFloat(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  return Number.isInteger(value) && !text.includes('e') ? `${text}.0` : text;
}
