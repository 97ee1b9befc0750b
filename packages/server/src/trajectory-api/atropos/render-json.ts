/** A number of a float field: JSON readers in Python take `1` for an integer, so a fraction is always written. */
export function renderFloat(value: number): string {
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** An object whose values are JSON text already. */
export function renderObject(fields: Record<string, string>): string {
  return `{${Object.entries(fields)
    .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
    .join(',')}}`;
}
