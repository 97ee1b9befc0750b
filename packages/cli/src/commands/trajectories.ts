import { defineCommand } from 'citty';

export const trajectoriesCommand = defineCommand({
  meta: { name: 'trajectories', description: 'Find, read, compare, tag and forget what was recorded.' },
  subCommands: {
    diff: () => import('./trajectories-diff.ts').then((module) => module.trajectoriesDiffCommand),
    forget: () => import('./trajectories-forget.ts').then((module) => module.trajectoriesForgetCommand),
    list: () => import('./trajectories-list.ts').then((module) => module.trajectoriesListCommand),
    search: () => import('./trajectories-list.ts').then((module) => module.trajectoriesSearchCommand),
    show: () => import('./trajectories-show.ts').then((module) => module.trajectoriesShowCommand),
    tag: () => import('./trajectories-tag.ts').then((module) => module.trajectoriesTagCommand),
  },
});
