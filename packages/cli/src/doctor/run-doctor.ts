import { failed, type DoctorFinding, type CheckResult } from './finding.ts';

export interface DoctorCheck {
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<CheckResult>;
}

/** A cold interpreter on a slow disk takes seconds; what takes longer hangs. */
export const CHECK_LIMIT_MS = 15_000;

/** Every check side by side; the findings in the order of the checks. */
export async function runDoctor(
  checks: readonly DoctorCheck[],
  { limitMs = CHECK_LIMIT_MS }: { limitMs?: number } = {},
): Promise<DoctorFinding[]> {
  return await Promise.all(
    checks.map(async ({ name, run }) => {
      const signal = AbortSignal.timeout(limitMs);
      const late = Promise.withResolvers<CheckResult>();
      const onLate = (): void =>
        late.resolve(
          failed(
            `no answer within ${limitMs / 1000} s`,
            `Look at what holds it up, then run \`lachesis doctor\` again.`,
          ),
        );
      signal.addEventListener('abort', onLate, { once: true });
      const result = run(signal).catch((error: unknown) =>
        failed(
          `the check itself failed: ${error instanceof Error ? error.message : String(error)}`,
          'Fix what the sentence names, then run `lachesis doctor` again.',
        ),
      );
      try {
        return { name, ...(await Promise.race([result, late.promise])) };
      } finally {
        signal.removeEventListener('abort', onLate);
      }
    }),
  );
}
