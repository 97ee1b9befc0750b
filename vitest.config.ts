import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['lachesis-source'] },
  ssr: { resolve: { conditions: ['lachesis-source', 'node'] } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'test/architecture/**/*.test.ts',
      'test/{conformance,e2e,kit,scenarios,bench,chaos,peers}/**/*.test.ts',
    ],
    globalSetup: ['test/kit/set-up-test-run.ts'],
    // No route answers what its document does not say.
    setupFiles: ['test/kit/hold-answers.ts'],
    pool: 'threads',
    isolate: false,
    // Vitest leaves a core free by default, which is half of a machine with two.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    execArgv: ['--conditions=lachesis-source'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A wait ends when what is waited for is there. The limit is for what never comes; a busy machine is slower than the default second.
    expect: { poll: { timeout: 15_000 } },
  },
});
