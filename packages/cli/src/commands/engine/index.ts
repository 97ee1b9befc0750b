import { defineCommand } from 'citty';

export const engineCommand = defineCommand({
  meta: { name: 'engine', description: 'Keep a local training engine (SkyRL on the CPU) that speaks the Tinker API.' },
  subCommands: {
    up: () => import('./up.ts').then((module) => module.engineUpCommand),
    status: () => import('./status.ts').then((module) => module.engineStatusCommand),
    down: () => import('./down.ts').then((module) => module.engineDownCommand),
    'make-tiny-model': () => import('./make-tiny-model.ts').then((module) => module.engineMakeTinyModelCommand),
    get: () => import('./get.ts').then((module) => module.engineGetCommand),
  },
});
