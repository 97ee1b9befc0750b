import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

import { FAULT_NAMES, FAULT_VARIABLE, FAULTS, FAULTY_FILE } from './faults.ts';
import type { FaultName } from './faults.ts';

const source = readFileSync(new URL(`../../../${FAULTY_FILE}`, import.meta.url), 'utf8');
const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A group of two, converted in a process with this fault. */
async function convert(fault?: FaultName): Promise<{ tokens: number[]; advantages: number[] }[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=lachesis-source', '--import', fileOf('seed-fault.ts'), fileOf('convert-two-process.ts')],
    { env: { ...process.env, NODE_OPTIONS: '', ...(fault === undefined ? {} : { [FAULT_VARIABLE]: fault }) } },
  );
  return JSON.parse(stdout) as { tokens: number[]; advantages: number[] }[];
}

test.each(FAULT_NAMES)('the fault %s has its one place in the trainer', (name) => {
  expect(source.split(FAULTS[name].from)).toHaveLength(2);
});

test('what each fault does to a group, and what it leaves', async () => {
  const [honest, blind, shuffled, wrong] = await Promise.all([
    convert(),
    convert('prompt-blind'),
    convert('shuffled-rewards'),
    convert('wrong-sign'),
  ]);
  const advantages = (rows: typeof honest): number[] => rows.map((row) => row.advantages.at(-1) ?? Number.NaN);
  expect(honest.map(({ tokens }) => tokens)).toEqual([
    [1, 7, 8],
    [1, 7, 9],
  ]);
  expect(advantages(honest)).toEqual([0.5, -0.5]);

  expect(blind.map(({ tokens }) => tokens)).toEqual([
    [5, 5, 8],
    [5, 5, 9],
  ]);
  expect(advantages(blind)).toEqual(advantages(honest));
  expect(advantages(wrong)).toEqual([-0.5, 0.5]);
  expect(wrong.map(({ tokens }) => tokens)).toEqual(honest.map(({ tokens }) => tokens));
  expect(new Set(advantages(shuffled))).toEqual(new Set(advantages(honest)));
}, 60_000);
