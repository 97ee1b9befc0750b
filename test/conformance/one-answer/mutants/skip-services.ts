import { registerHooks } from 'node:module';

const SERVICES = new URL('../../../../packages/server/src/services/', import.meta.url).href;
const MUTANT = new URL('skipped-services.ts', import.meta.url).href;
const REPLACED = new Set(
  [
    ...['library/add-feedback', 'library/datasets', 'library/drain-outboxes', 'library/find-by-beginning'],
    ...['library/ingest-records', 'library/redact-row', 'models/models'],
  ].map((name) => `${SERVICES}${name}.ts`),
);

// Whoever imports one of these services gets the one of the mutants, which imports the real one.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return REPLACED.has(found.url) && context.parentURL !== MUTANT ? { ...found, url: MUTANT } : found;
  },
});
