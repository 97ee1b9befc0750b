import { defineCommand } from 'citty';
import { engineDownCommand } from './engine-down.ts';
import { engineGetCommand } from './engine-get.ts';
import { engineMakeTinyModelCommand } from './engine-make-tiny-model.ts';
import { engineStatusCommand } from './engine-status.ts';
import { engineUpCommand } from './engine-up.ts';

export const engineCommand = defineCommand({
  meta: { name: 'engine', description: 'Keep a local training engine (SkyRL on the CPU) that speaks the Tinker API.' },
  subCommands: {
    up: engineUpCommand,
    status: engineStatusCommand,
    down: engineDownCommand,
    'make-tiny-model': engineMakeTinyModelCommand,
    get: engineGetCommand,
  },
});
