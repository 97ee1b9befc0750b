import { availableParallelism } from 'node:os';

import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';

import { createFailureReporter } from './test/kit/create-failure-reporter.ts';
import { findChromium } from './test/kit/find-chromium.ts';

const browser = ['apps/dashboard/vitest.config.ts'];
if (findChromium() === undefined)
  process.stderr.write('No chromium here (apt-get install chromium): *.browser.test.ts are not run.\n');

const failures = process.env['LACHESIS_CI_FAILURES'];

/** Everything that needs no browser. */
const unit: ViteUserConfig = {
  resolve: { conditions: ['lachesis-source'] },
  ssr: { resolve: { conditions: ['lachesis-source', 'node'] } },
  test: {
    name: 'unit',
    include: [
      'packages/*/src/**/*.test.ts',
      'apps/*/src/**/*.test.ts',
      'test/architecture/**/*.test.ts',
      'test/{conformance,e2e,evidence,kit,scenarios,seed,bench,chaos,peers}/**/*.test.ts',
    ],
    exclude: [...configDefaults.exclude, '**/*.browser.test.ts'],
    globalSetup: ['test/kit/set-up-test-run.ts'],
    // No route answers what its document does not say.
    setupFiles: ['test/kit/hold-answers.ts'],
    // Processes and not threads: starting a program copies the page tables of the whole process that starts it, and hundreds of
    // tests start programs. A process with all workers in it is large, and stands still meanwhile.
    pool: 'forks',
    isolate: false,
    execArgv: ['--conditions=lachesis-source'],
    // A wait ends when what is waited for is there. The limits are for what never comes: a machine with other work on it is many
    // times slower, and that is no finding.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // As every suite of .ci/run: what fails there is tried once more, and the report says so.
    retry: process.env['CI'] === undefined ? 0 : 1,
    expect: { poll: { timeout: 30_000 } },
  },
};

export default defineConfig({
  test: {
    projects: [unit, ...(findChromium() !== undefined ? browser : [])],
    // Many tests wait for a program they started: two workers leave two cores idle half of the time.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    reporters: ['default', ...(failures === undefined ? [] : [createFailureReporter(failures)])],
  },
});
