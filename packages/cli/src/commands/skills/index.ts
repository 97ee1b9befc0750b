import { defineCommand } from 'citty';

export const skillsCommand = defineCommand({
  meta: { name: 'skills', description: 'Guides for agents and people, one for each kind of task.' },
  subCommands: {
    browse: () => import('./browse.ts').then((module) => module.skillsBrowseCommand),
    check: () => import('./check.ts').then((module) => module.skillsCheckCommand),
    install: () => import('./install.ts').then((module) => module.skillsInstallCommand),
    list: () => import('./browse.ts').then((module) => module.skillsListCommand),
    search: () => import('./search.ts').then((module) => module.skillsSearchCommand),
    update: () => import('./update.ts').then((module) => module.skillsUpdateCommand),
    view: () => import('./view.ts').then((module) => module.skillsViewCommand),
  },
});
