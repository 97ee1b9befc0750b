export type Verdict = 'fail' | 'ok' | 'warn';

/** What one check found. */
export interface DoctorFinding {
  readonly name: string;
  readonly verdict: Verdict;
  readonly message: string;
  /** What mends it; absent when all is well. */
  readonly fix?: string;
}

export type CheckResult = Omit<DoctorFinding, 'name'>;

export const ok = (message: string): CheckResult => ({ verdict: 'ok', message });
export const warn = (message: string, fix: string): CheckResult => ({ verdict: 'warn', message, fix });
export const failed = (message: string, fix: string): CheckResult => ({ verdict: 'fail', message, fix });

/** The worst of several, with the sentences of all. */
export function joinResults(parts: readonly CheckResult[]): CheckResult {
  const rank = { ok: 0, warn: 1, fail: 2 } as const;
  const worst = parts.reduce<Verdict>((found, { verdict }) => (rank[verdict] > rank[found] ? verdict : found), 'ok');
  const fixes = parts.flatMap(({ fix }) => (fix === undefined ? [] : [fix]));
  return {
    verdict: worst,
    message: parts.map(({ message }) => message).join('; '),
    ...(fixes.length === 0 ? {} : { fix: fixes.join(' ') }),
  };
}
