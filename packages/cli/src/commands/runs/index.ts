import { defineCommand } from 'citty';

export const runsCommand = defineCommand({
  meta: {
    name: 'runs',
    description: 'Training runs: start, resume, list, show, watch, compare, and say what they wait for.',
  },
  subCommands: {
    compare: () => import('./compare.ts').then((module) => module.runsCompareCommand),
    start: () => import('./start.ts').then((module) => module.runsStartCommand),
    resume: () => import('./resume.ts').then((module) => module.runsResumeCommand),
    list: () => import('./list.ts').then((module) => module.runsListCommand),
    show: () => import('./show.ts').then((module) => module.runsShowCommand),
    watch: () => import('./watch.ts').then((module) => module.runsWatchCommand),
    why: () => import('./why.ts').then((module) => module.runsWhyCommand),
  },
});
