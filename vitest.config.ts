import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['lachesis-source'] },
  ssr: { resolve: { conditions: ['lachesis-source', 'node'] } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'test/architecture/**/*.test.ts',
      'test/{conformance,e2e,kit,shows,bench,chaos,peers}/**/*.test.ts',
    ],
    // No route answers what its document does not say.
    setupFiles: ['test/kit/hold-answers.ts'],
    pool: 'threads',
    isolate: false,
    execArgv: ['--conditions=lachesis-source'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
