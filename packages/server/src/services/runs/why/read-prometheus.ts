/** One line of the Prometheus text format. */
export interface PrometheusSample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** What our own stations write; lines that are something else are passed over. */
export function readPrometheus(text: string): PrometheusSample[] {
  return text.split('\n').flatMap((line) => {
    const found = line.startsWith('#') ? null : LINE.exec(line);
    const value = Number(found?.[3]);
    if (found === null || Number.isNaN(value)) return [];
    const labels = Object.fromEntries(
      Array.from((found[2] ?? '').matchAll(LABEL), ([, name = '', label = '']) => [name, label]),
    );
    return [{ name: found[1] ?? '', labels, value }];
  });
}
