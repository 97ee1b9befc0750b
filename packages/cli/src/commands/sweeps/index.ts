import { defineCommand } from 'citty';

export const sweepsCommand = defineCommand({
  meta: {
    name: 'sweeps',
    description: 'Sweeps of `lachesis train --grid`: list them, show one as a table and a chart.',
  },
  subCommands: {
    list: () => import('./list.ts').then((module) => module.sweepsListCommand),
    show: () => import('./show.ts').then((module) => module.sweepsShowCommand),
  },
});
