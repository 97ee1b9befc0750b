import path from 'node:path';
import { rooms, type Room } from './directions.ts';
import { findCycles } from './find-cycles.ts';
import { listEntries, listPackages } from './packages.ts';
import { readExports } from './read-exports.ts';
import {
  hasRepositoryFile,
  isTestFile,
  listRepositoryFiles,
  listSourceFiles,
  readRepositoryFile,
} from './source-files.ts';

/** Every figure is better when it is smaller. */
export interface HouseFigures {
  /** Sources in the folder that holds most of them, without tests and without the folders inside it. */
  largestFolder: number;
  /** Folders that hold more sources than one sees at a glance. */
  foldersOverAim: number;
  /** Sets of files that import one another in a circle, imports of types among them. */
  importCycles: number;
  /** Rooms of the table of directions that stand outside it: they may import everything. */
  wallExceptions: number;
  /** What the packages export behind all of their entries. */
  publicNames: number;
  /** Those of them that no page and no example names: promises nobody was told about. */
  unnamedPublicNames: number;
  /** In whole thousands, rounded up: a fix of ten lines is no matter of architecture. */
  sourceKiloLines: number;
  testKiloLines: number;
}

export interface House {
  figures: HouseFigures;
  /** What stands behind a figure, for who wants to better it. */
  details: {
    folders: { folder: string; files: number }[];
    cycles: string[][];
    /** Rooms that may import everything, and the arrows of all others. */
    walls: { open: string[]; arrows: number };
    namesPerPackage: { name: string; names: number; unnamed: string[] }[];
  };
}

/** A figure that another project does not have, or that was not measured there, is absent. */
export interface Neighbour {
  name: string;
  /** When the snapshot was taken, as year and month. */
  snapshot: string;
  figures: Partial<HouseFigures>;
}

/** The file of the pinned figures. */
export interface HouseRecord {
  /** What is allowed at most. `pnpm house --write` lowers them. */
  figures: HouseFigures;
  aims: Partial<HouseFigures>;
  /** The figures at the first count, so that the way is seen. */
  first: { date: string; figures: Partial<HouseFigures> };
  neighbours: Neighbour[];
}

export const houseFile = 'test/architecture/house.json';

/** How many sources one folder should hold at most. */
export const folderAim = 25;

/** Measures the repository as it lies here. */
export function readHouse(): House {
  const sources = listSourceFiles()
    .filter((file) => !isTestFile(file))
    .map((file) => ({ file, source: readRepositoryFile(file) }));
  const tests = listRepositoryFiles().filter(
    (file) => /\.tsx?$/.test(file) && (file.startsWith('test/') || (file.startsWith('packages/') && isTestFile(file))),
  );
  const packages = listPackages();

  const folders = countFolders(sources.map(({ file }) => file));
  const cycles = findCycles({ files: sources, packages });
  const told = readToldNames();
  const namesPerPackage = packages.map((workspacePackage) => {
    const names = listEntries(workspacePackage)
      .filter(({ file }) => hasRepositoryFile(file))
      .flatMap(({ file }) => readExports(file, readRepositoryFile(file)).map((name) => name.replace(/^type /, '')));
    return {
      name: workspacePackage.manifest.name,
      names: names.length,
      unnamed: names.filter((name) => !told.has(name)),
    };
  });
  const walls = readWalls(rooms);

  return {
    figures: {
      largestFolder: folders[0]?.files ?? 0,
      foldersOverAim: folders.filter(({ files }) => files > folderAim).length,
      importCycles: cycles.length,
      wallExceptions: walls.open.length,
      publicNames: sum(namesPerPackage.map(({ names }) => names)),
      unnamedPublicNames: sum(namesPerPackage.map(({ unnamed }) => unnamed.length)),
      sourceKiloLines: toKiloLines(sources.map(({ source }) => source)),
      testKiloLines: toKiloLines(tests.map((file) => readRepositoryFile(file))),
    },
    details: { folders, cycles, walls, namesPerPackage },
  };
}

/** The folders that hold sources, the fullest first. */
export function countFolders(files: readonly string[]): { folder: string; files: number }[] {
  return [...Map.groupBy(files, (file) => path.posix.dirname(file))]
    .map(([folder, members]) => ({ folder, files: members.length }))
    .toSorted((left, right) => right.files - left.files || left.folder.localeCompare(right.folder));
}

export function readWalls(table: readonly Room[]): { open: string[]; arrows: number } {
  const isOpen = ({ mayImport }: Room) => mayImport.includes('*');
  return {
    open: table.filter(isOpen).map(({ name }) => name),
    arrows: sum(table.filter((room) => !isOpen(room)).map(({ mayImport }) => mayImport.length)),
  };
}

/** Pages for users. The README of a room is for who works in it, and the change log tells what was: they promise nothing. */
const userPage = /^(README|SECURITY|docs\/.+|examples\/.+|packages\/[^/]+\/README|packages\/cli\/skills\/.+)\.md$/;

/** The words that stand as code on a page for users, or in an example. */
function readToldNames(): Set<string> {
  const told = new Set<string>();
  for (const file of listRepositoryFiles()) {
    const isPage = userPage.test(file);
    if (!isPage && !/^examples\/.+\.tsx?$/.test(file)) continue;
    const text = readRepositoryFile(file);
    for (const word of listWords(isPage ? readCodeOfPage(text) : text)) told.add(word);
  }
  return told;
}

/** What a page has in fences and between backticks: `Group` there is a name, and in a sentence a word. */
export function readCodeOfPage(page: string): string {
  const fence = /^```.*\n[^]*?^```/gm;
  const fenced = [...page.matchAll(fence)].map(([text]) => text);
  const spans = [...page.replaceAll(fence, '').matchAll(/`[^`\n]+`/g)].map(([text]) => text);
  return [...fenced, ...spans].join('\n');
}

function listWords(text: string): string[] {
  return text.match(/[A-Za-z_$][\w$]*/g) ?? [];
}

function toKiloLines(texts: readonly string[]): number {
  return Math.ceil(sum(texts.map((text) => text.split('\n').length - 1)) / 1000);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * The pinned figures, each lowered to the current one where that is better. Lines keep a thousand of room, so that not
 * every test of a fix meets the pin.
 */
export function lowerFigures(pinned: HouseFigures, current: HouseFigures): HouseFigures {
  const lowered = { ...pinned };
  for (const figure of listFigures(current)) {
    const room = figure.endsWith('KiloLines') ? 1 : 0;
    lowered[figure] = Math.min(pinned[figure], current[figure] + room);
  }
  return lowered;
}

/** The names of the figures, in the order in which they are shown. */
export function listFigures(figures: HouseFigures): (keyof HouseFigures)[] {
  return Object.keys(figures) as (keyof HouseFigures)[];
}

/** The figures that are worse than the pinned ones, one sentence each. */
export function findWorse(pinned: HouseFigures, current: HouseFigures): string[] {
  return listFigures(current)
    .filter((figure) => current[figure] > pinned[figure])
    .map((figure) => `${figure} is ${current[figure]}, and ${houseFile} allows ${pinned[figure]}.`);
}
