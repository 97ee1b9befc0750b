#!/usr/bin/env node

// Read by citty when it is loaded: a pipe gets plain text.
if (!process.stdout.isTTY) process.env['NO_COLOR'] ??= '1';
const { runMain } = await import('citty');
const { mainCommand } = await import('./main-command.ts');

await runMain(mainCommand);
