import { readCommitNumber } from '../../../kit/read-commit-number.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import type { Finding } from '../run-fuzz.ts';

/** How full the disk of the machine is must not decide about an answer. */
export const FUZZ_ENVIRONMENT = { LACHESIS_DISK_RESERVE: '0', LACHESIS_LOG_LEVEL: 'error' };

/** `SEED=n` sends the cases of n again; otherwise each commit has its own. */
export function readSeed(): number {
  const seed = Number(process.env['SEED'] ?? readCommitNumber());
  if (!Number.isSafeInteger(seed)) throw new Error(`SEED is a whole number, not ${process.env['SEED']}`);
  return seed;
}

/** Tells the person waiting what to look at; a few are enough to find the cause. */
export function logFindings(context: ScenarioContext, findings: readonly Finding[]): void {
  for (const { number, what, request } of findings.slice(0, 5)) {
    context.log(`case ${number}, SEED=${readSeed()}: ${what}\n  ${request}`);
  }
}
