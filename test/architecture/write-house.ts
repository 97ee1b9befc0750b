/**
 * `pnpm house` shows the house in numbers; `pnpm house --write` lowers the pin to figures that got better.
 * It never raises one: a figure that must get worse is edited in house.json by hand, with its reason in the commit.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  findWorse,
  folderAim,
  houseFile,
  listFigures,
  lowerFigures,
  readHouse,
  type HouseFigures,
  type HouseRecord,
} from './read-house.ts';
import { readRepositoryFile, repositoryRoot } from './source-files.ts';

const titles: Record<keyof HouseFigures, string> = {
  largestFolder: 'files in the largest folder',
  foldersOverAim: `folders over ${folderAim} files`,
  importCycles: 'import cycles, types too',
  wallExceptions: 'rooms without walls',
  publicNames: 'public names',
  unnamedPublicNames: '… in no page, no example',
  sourceKiloLines: 'source, thousand lines',
  testKiloLines: 'tests, thousand lines',
};

const house = readHouse();
const record = JSON.parse(readRepositoryFile(houseFile)) as HouseRecord;
const show = (number: number | undefined) => number?.toLocaleString('en') ?? '–';

const head = ['', 'now', 'allowed', 'aim', record.first.date];
const rows = [
  [...head, ...record.neighbours.map(({ name, snapshot }) => `${name} (${snapshot})`)],
  ...listFigures(house.figures).map((figure) => [
    titles[figure],
    ...[house.figures, record.figures, record.aims, record.first.figures].map((figures) => show(figures[figure])),
    ...record.neighbours.map(({ figures }) => show(figures[figure])),
  ]),
];
const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => String(row[column]).length))) ?? [];
for (const row of rows) {
  console.log(
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
}

const { folders, cycles, walls, namesPerPackage } = house.details;
console.log('\nfullest folders');
for (const { folder, files } of folders.slice(0, 10)) console.log(`  ${String(files).padStart(4)}  ${folder}`);
console.log(`\nwalls: ${walls.arrows} arrows; without walls: ${walls.open.join(', ') || 'none'}`);
console.log('\npublic names, and how many of them no page and no example names');
for (const { name, names, unnamed } of namesPerPackage) {
  console.log(`  ${String(names).padStart(5)} ${String(unnamed.length).padStart(5)}  ${name}`);
  if (process.argv.includes('--names')) for (const each of unnamed) console.log(`               ${each}`);
}
if (cycles.length > 0) console.log('\nimport cycles');
for (const cycle of cycles) console.log(`  ${cycle.join('\n    ')}`);

const worse = findWorse(record.figures, house.figures);
if (process.argv.includes('--write')) {
  const figures = lowerFigures(record.figures, house.figures);
  writeFileSync(path.join(repositoryRoot, houseFile), `${JSON.stringify({ ...record, figures }, null, 2)}\n`);
  console.log(`\nWrote ${houseFile}.`);
}
for (const sentence of worse) console.log(`\n${sentence}`);
if (worse.length > 0) process.exitCode = 1;
