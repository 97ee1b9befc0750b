import type { Issue } from './error-body.ts';

/** A reply with more issues helps nobody, and a hostile group could have millions. */
const MAX_ISSUES = 50;

/** Adds an issue; false when there is room for no more. */
export type Report = (sequence: number | null, field: string, message: string) => boolean;

/** A bounded list of issues and the function that adds to it. */
export function collectIssues(): { issues: Issue[]; report: Report } {
  const issues: Issue[] = [];
  return {
    issues,
    report(sequence, field, message) {
      if (issues.length < MAX_ISSUES) issues.push({ sequence, field, message });
      return issues.length < MAX_ISSUES;
    },
  };
}
