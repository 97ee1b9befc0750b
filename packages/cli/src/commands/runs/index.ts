import { defineCommand } from 'citty';

export const runsCommand = defineCommand({
  meta: { name: 'runs', description: 'Training runs: list, show, watch, and say what they wait for.' },
  subCommands: {
    list: () => import('./list.ts').then((module) => module.runsListCommand),
    show: () => import('./show.ts').then((module) => module.runsShowCommand),
    watch: () => import('./watch.ts').then((module) => module.runsWatchCommand),
    why: () => import('./why.ts').then((module) => module.runsWhyCommand),
  },
});
