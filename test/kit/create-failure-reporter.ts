import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/**
 * Writes the command that runs the failed files once more, for `.ci/run`, which does so with nothing beside them. An error outside of every
 * test counts for the file that ran meanwhile; one that names no file leaves no command, and the run stays red.
 */
export function createFailureReporter(file: string, root = process.cwd()): Reporter {
  return {
    onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]) {
      const files = new Set(modules.filter((module) => !module.ok()).map(({ moduleId }) => moduleId));
      for (const error of errors) {
        const place: unknown = error['VITEST_TEST_PATH'];
        if (typeof place !== 'string') return;
        files.add(place);
      }
      const failed = [...files].map((place) => path.relative(root, place)).toSorted();
      if (failed.length > 0) writeFileSync(file, `pnpm test ${failed.join(' ')}\n`);
    },
  };
}
