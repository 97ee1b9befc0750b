import { homePaths } from '@lachesis/protocol/home';
import { findHome } from '@lachesis/sdk/home';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { failUsage } from '../../terminal/fail.ts';

/** Where agents look for guides: those of several makers, Claude Code, and `lachesis agent`. */
const PLACES = {
  agents: () => path.join('.agents', 'skills'),
  claude: () => path.join('.claude', 'skills'),
  lachesis: () => homePaths(findHome(undefined)).skills,
} as const;

export const skillPlaceFlags = {
  for: {
    type: 'string',
    description:
      'whose place: agents (.agents/skills), claude (.claude/skills) or lachesis (skills/ in the home, for `lachesis agent`)',
  },
  folder: { type: 'string', description: 'another folder in which your agent looks for skills' },
} as const;

interface PlaceArgs {
  for?: string | undefined;
  folder?: string | undefined;
}

/** Where a guide is put: `.agents/skills`, and `.claude/skills` too where the project has a folder `.claude`. */
export function chooseSkillPlaces(args: PlaceArgs): string[] {
  return readPlaces(args) ?? [PLACES.agents(), ...(existsSync('.claude') ? [PLACES.claude()] : [])];
}

/** Where guides may have been put. */
export function findSkillPlaces(args: PlaceArgs): string[] {
  return readPlaces(args) ?? Object.values(PLACES).map((find) => find());
}

function readPlaces(args: PlaceArgs): string[] | undefined {
  if (args.folder !== undefined && args.for !== undefined) failUsage('give --for or --folder, not both.');
  if (args.folder !== undefined) return [args.folder];
  if (args.for === undefined) return undefined;
  if (!Object.hasOwn(PLACES, args.for)) {
    failUsage(`--for wants agents, claude or lachesis, and ${JSON.stringify(args.for)} was given.`);
  }
  return [PLACES[args.for as keyof typeof PLACES]()];
}
