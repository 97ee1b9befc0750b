import { defineCommand } from 'citty';
import { engineDownCommand } from './down.ts';
import { engineGetCommand } from './get.ts';
import { engineMakeTinyModelCommand } from './make-tiny-model.ts';
import { engineStatusCommand } from './status.ts';
import { engineUpCommand } from './up.ts';

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
