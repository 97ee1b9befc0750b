import type { Paint } from '../terminal/paint.ts';
import { wrapText } from '../terminal/text-width.ts';
import type { DoctorFinding, Verdict } from './finding.ts';

const SIGNS: Readonly<Record<Verdict, string>> = { ok: '✓', warn: '!', fail: '✗' };
const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

export interface FormatDoctorOptions {
  readonly findings: readonly DoctorFinding[];
  readonly paint: Paint;
  readonly columns: number;
}

/** One line per check, its fix under it, and the sum. */
export function formatDoctor({ findings, paint, columns }: FormatDoctorOptions): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const indent = ' '.repeat(width + 6);
  const room = Math.max(20, columns - indent.length);
  const lines = findings.flatMap(({ name, verdict, message, fix }) => {
    const colour = paint[COLOURS[verdict]];
    const [first = '', ...rest] = wrapText(message, room);
    return [
      `  ${colour(SIGNS[verdict])} ${paint.bold(name.padEnd(width))}  ${first}`,
      ...rest.map((line) => `${indent}${line}`),
      ...(fix === undefined ? [] : wrapText(`→ ${fix}`, room).map((line) => `${indent}${paint.cyan(line)}`)),
    ];
  });
  return `${lines.join('\n')}\n\n  ${describeSum(findings, paint)}\n`;
}

function describeSum(findings: readonly DoctorFinding[], paint: Paint): string {
  const count = (verdict: Verdict): number => findings.filter((finding) => finding.verdict === verdict).length;
  const [fails, warnings] = [count('fail'), count('warn')];
  if (fails > 0) return paint.red(`${fails} to fix before anything runs${warnings > 0 ? `, ${warnings} to know` : ''}`);
  return warnings > 0 ? paint.yellow(`ready, with ${warnings} to know`) : paint.green('all well');
}
