import { listSuiteNames, loadSuite } from '../scenarios/load-suites.ts';
import { SCENARIO_KINDS, type ScenarioKind } from '../scenarios/parse-command.ts';
import type { EvidenceLine } from './evidence-line.ts';

export interface Show {
  readonly kind: ScenarioKind;
  /** `suite/scenario`. */
  readonly name: string;
  readonly title: string;
}

export const idOf = ({ kind, name }: Show): string => `${kind}/${name}`;

/** A suite that chooses by the commit among its other shows has no long form of its own. */
const CHOOSERS = /\/chosen$/;

export async function listShows(testFolder: string): Promise<Show[]> {
  const shows: Show[] = [];
  for (const kind of SCENARIO_KINDS) {
    for (const suite of await listSuiteNames({ testFolder, kind })) {
      const { scenarios } = await loadSuite({ testFolder, kind, name: suite });
      shows.push(...scenarios.map(({ name, title }) => ({ kind, name: `${suite}/${name}`, title })));
    }
  }
  return shows.filter(({ name }) => !CHOOSERS.test(name));
}

/** Which of the shows are still to be run; undefined when a word names none of them. */
export function planShows(options: {
  shows: readonly Show[];
  /** Beginnings of `kind/suite/show`, cut at a slash; empty for all. */
  wanted: readonly string[];
  lines: readonly EvidenceLine[];
  /** Whether what a commit holds is what would be run now. */
  isSameTree: (commit: string) => boolean;
  onlyMissing: boolean;
}): Show[] | undefined {
  const { shows, wanted, lines, onlyMissing } = options;
  const isNamed = (show: Show, word: string): boolean => `${idOf(show)}/`.startsWith(`${word.replace(/\/$/, '')}/`);
  if (wanted.some((word) => !shows.some((show) => isNamed(show, word)))) return undefined;
  const current = new Set(lines.map(({ commit }) => commit).filter((commit) => options.isSameTree(commit)));
  const done = new Set(lines.filter(({ commit }) => onlyMissing || current.has(commit)).map(({ show }) => show));
  return shows.filter(
    (show) => !done.has(idOf(show)) && (wanted.length === 0 || wanted.some((word) => isNamed(show, word))),
  );
}
