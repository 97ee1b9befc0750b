import { defineCommand } from 'citty';

export const skillsCommand = defineCommand({
  meta: { name: 'skills', description: 'Guides for agents and people, one for each kind of task.' },
  subCommands: {
    install: () => import('./install.ts').then((module) => module.skillsInstallCommand),
    list: () => import('./list.ts').then((module) => module.skillsListCommand),
    view: () => import('./view.ts').then((module) => module.skillsViewCommand),
  },
});
