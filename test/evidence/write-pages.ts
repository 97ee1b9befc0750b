import type { EvidenceLine } from './evidence-line.ts';
import { newestEvidence } from './evidence-line.ts';

/** A figure that a page quotes: `<!-- evidence e2e/learns/copy: name -->figure<!-- /evidence -->`. */
export const QUOTE = /<!-- evidence (\S+): (.+?) -->(.*?)<!-- \/evidence -->/gs;

/** The page with the newest figure in each of its quotes; a quote of something that was never shown stays as it is. */
export function fillQuotes(page: string, lines: readonly EvidenceLine[]): string {
  const newest = newestEvidence(lines);
  return page.replace(QUOTE, (whole, show: string, name: string) => {
    const line = newest.find((each) => each.show === show && each.name === name);
    return line === undefined ? whole : `<!-- evidence ${show}: ${name} -->${line.figure}<!-- /evidence -->`;
  });
}

/** Quotes of a page whose figure is in no line. */
export function findUnproved(page: string, lines: readonly EvidenceLine[]): string[] {
  const known = new Set(lines.map(({ show, name, figure }) => JSON.stringify([show, name, figure])));
  return [...page.matchAll(QUOTE)]
    .filter(([, show, name, figure]) => !known.has(JSON.stringify([show, name, figure])))
    .map(([, show, name, figure]) => `${show}: ${name}: ${figure}`);
}

/** `docs/evidence.md`. */
export function writeEvidencePage(lines: readonly EvidenceLine[]): string {
  const newest = newestEvidence(lines);
  const short = newest.filter(({ verdict }) => verdict === 'short');
  const notRun = newest.filter(({ verdict }) => verdict === 'not run');
  const shows = new Set(newest.map(({ show }) => show));
  return [
    '# What the long forms showed',
    '',
    'Made by `pnpm evidence` from [evidence.jsonl](evidence.jsonl), which holds every run; here is the newest line of each thing. A line says what',
    'came out at its commit on its machine, not what is true of yours; the command that shows it again stands before it.',
    '',
    `${shows.size} shows, ${newest.length} lines: ${newest.length - short.length - notRun.length} ok, ${short.length} short, ${notRun.length} not run.`,
    '',
    ...writeSection('Fell short', short),
    ...[...groupByKind(newest)].flatMap(([kind, own]) => writeSection(kind, own)),
  ].join('\n');
}

function groupByKind(lines: readonly EvidenceLine[]): Map<string, EvidenceLine[]> {
  return Map.groupBy(lines, ({ show }) => show.slice(0, show.indexOf('/')));
}

function writeSection(title: string, lines: readonly EvidenceLine[]): string[] {
  if (lines.length === 0) return [];
  const rows = lines.map(
    ({ show, name, figure, bar, verdict, commit, date }) =>
      `| \`pnpm ${show.replace('/', ' ')} --full\` | ${cell(name)} | ${cell(figure)} | ${cell(bar)} | ${verdict} | ${commit.slice(0, 8)} | ${date.slice(0, 10)} |`,
  );
  return [
    `## ${title}`,
    '',
    '| command | what | figure | bar | verdict | commit | date |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ];
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
