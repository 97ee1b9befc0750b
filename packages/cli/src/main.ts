#!/usr/bin/env node

// Read by citty when it is loaded: a pipe gets plain text.
if (!process.stdout.isTTY) process.env['NO_COLOR'] ??= '1';
const { defineCommand, runMain } = await import('citty');

const main = defineCommand({
  meta: { name: 'lachesis', version: '0.1.0', description: 'The open post-training loop for LLM agents.' },
  subCommands: {
    demo: () => import('./commands/demo.ts').then((module) => module.demoCommand),
    engine: () => import('./commands/engine.ts').then((module) => module.engineCommand),
    env: () => import('./commands/env.ts').then((module) => module.envCommand),
    serve: () => import('./commands/serve.ts').then((module) => module.serveCommand),
    train: () => import('./commands/train.ts').then((module) => module.trainCommand),
    token: () => import('./commands/token.ts').then((module) => module.tokenCommand),
  },
});

await runMain(main);
