import { execFileSync } from 'node:child_process';

/** A number that stays the same for a commit, and 0 where there is none: not a clone, or no git on this machine. */
export function readCommitNumber(): number {
  try {
    const hash = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return Number.parseInt(hash.slice(0, 6), 16);
  } catch {
    return 0;
  }
}
