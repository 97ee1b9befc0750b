/** A number whose text matters: `1.0` and `1` are two things to a template. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** `JSON.stringify` that knows NumberText and keeps the order of a Map. */
export function writeJson(value: unknown): string {
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries: Iterable<[string, unknown]> =
      value instanceof Map ? (value as Map<string, unknown>) : Object.entries(value);
    const members = Array.from(entries).filter(([, member]) => member !== undefined);
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${writeJson(member)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}
