import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/**
 * Writes the command that runs the failed files once more, for `.ci/run`, which does so with nothing beside them. An error outside of every
 * test counts for the file that ran meanwhile; where one names no file, all run once more.
 */
export function createFailureReporter(file: string, root = process.cwd()): Reporter {
  return {
    onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]) {
      const files = new Set(modules.filter((module) => !module.ok()).map(({ moduleId }) => moduleId));
      const places = errors.map((error): unknown => error['VITEST_TEST_PATH']);
      for (const place of places) if (typeof place === 'string') files.add(place);
      const failed = [...files].map((place) => path.relative(root, place)).toSorted();
      const isPlaced = places.every((place) => typeof place === 'string');
      if (!isPlaced) writeFileSync(file, 'pnpm test\n');
      else if (failed.length > 0) writeFileSync(file, `pnpm test ${failed.join(' ')}\n`);
    },
  };
}
