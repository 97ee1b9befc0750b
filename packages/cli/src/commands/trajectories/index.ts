import { defineCommand } from 'citty';

export const trajectoriesCommand = defineCommand({
  meta: { name: 'trajectories', description: 'Find, read, compare, tag and forget what was recorded.' },
  subCommands: {
    diff: () => import('./diff.ts').then((module) => module.trajectoriesDiffCommand),
    forget: () => import('./forget.ts').then((module) => module.trajectoriesForgetCommand),
    list: () => import('./list.ts').then((module) => module.trajectoriesListCommand),
    search: () => import('./list.ts').then((module) => module.trajectoriesSearchCommand),
    show: () => import('./show.ts').then((module) => module.trajectoriesShowCommand),
    stats: () => import('./stats.ts').then((module) => module.trajectoriesStatsCommand),
    tag: () => import('./tag.ts').then((module) => module.trajectoriesTagCommand),
  },
});
