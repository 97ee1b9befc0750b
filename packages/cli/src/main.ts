#!/usr/bin/env node

// Read by citty when it is loaded: a pipe gets plain text.
if (!process.stdout.isTTY) process.env['NO_COLOR'] ??= '1';
const { defineCommand, runMain } = await import('citty');

const main = defineCommand({
  meta: { name: 'lachesis', version: '0.1.0', description: 'The open post-training loop for LLM agents.' },
  subCommands: {
    engine: () => import('./commands/engine.ts').then((module) => module.engineCommand),
    serve: () => import('./commands/serve.ts').then((module) => module.serveCommand),
    token: () => import('./commands/token.ts').then((module) => module.tokenCommand),
  },
});

await runMain(main);
