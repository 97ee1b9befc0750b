import { defineCommand } from 'citty';

export const runsCommand = defineCommand({
  meta: { name: 'runs', description: 'Training runs: list, show, watch, and say what they wait for.' },
  subCommands: {
    list: () => import('./runs-list.ts').then((module) => module.runsListCommand),
    show: () => import('./runs-show.ts').then((module) => module.runsShowCommand),
    watch: () => import('./runs-watch.ts').then((module) => module.runsWatchCommand),
    why: () => import('./runs-why.ts').then((module) => module.runsWhyCommand),
  },
});
