import { verdictOf } from './run-scenario.ts';
import type { ScenarioLine } from './scenario.ts';

/** How far over its bar a time may be in a whole run of CI, after its second try. */
const SWING = 1.5;
const TIMED = /^(?<sign>[≤≥])\s*(?<bar>[\d.,]+)\s*(?<unit>ms|s|×)(?!\w)(?!.*[≤≥])/u;
const FIGURE = /^(?<figure>[\d.,]+)\s*(?<unit>ms|s|×)(?!\w)/u;

/**
 * A line that is short by a clock and by less than a half is let pass by CI, and says so in its bar. Whoever runs the suite by hand is told
 * that it is short. Lines whose figure and bar are not one number of the same unit are left as they are.
 */
export function allowSwing(line: ScenarioLine): ScenarioLine {
  if (verdictOf(line) !== 'short') return line;
  const wanted = TIMED.exec(line.bar)?.groups;
  const found = FIGURE.exec(line.figure)?.groups;
  if (wanted === undefined || found === undefined || wanted['unit'] !== found['unit']) return line;
  const [bar, figure] = [readNumber(wanted['bar']), readNumber(found['figure'])];
  const limit = wanted['sign'] === '≤' ? bar * SWING : bar / SWING;
  const isNear = wanted['sign'] === '≤' ? figure <= limit : figure >= limit;
  if (!isNear) return line;
  return {
    ...line,
    bar: `${line.bar}; in CI ${wanted['sign']} ${Number(limit.toFixed(2))} ${wanted['unit']}`,
    ok: true,
  };
}

const readNumber = (text = ''): number => Number(text.replaceAll(',', ''));
