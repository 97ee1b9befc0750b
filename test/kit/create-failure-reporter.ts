import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** Writes the command that runs the failed files once more, for `.ci/run`, which does so with nothing beside them. */
export function createFailureReporter(file: string, root = process.cwd()): Reporter {
  return {
    onTestRunEnd(modules: readonly TestModule[]) {
      const failed = modules.filter((module) => !module.ok()).map(({ moduleId }) => path.relative(root, moduleId));
      if (failed.length > 0) writeFileSync(file, `pnpm test ${failed.toSorted().join(' ')}\n`);
    },
  };
}
