import { fileURLToPath } from 'node:url';

/** What runs `lachesis`: a program and its first words. */
export type LachesisCommand = readonly [program: string, ...words: string[]];

/** As a developer runs it, without a build. */
export const LACHESIS_FROM_SOURCES: LachesisCommand = [
  process.execPath,
  '--conditions=lachesis-source',
  fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url)),
];
