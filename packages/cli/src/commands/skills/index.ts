import { defineCommand } from 'citty';
import { skillsInstallCommand } from './install.ts';
import { skillsListCommand } from './list.ts';
import { skillsViewCommand } from './view.ts';

export const skillsCommand = defineCommand({
  meta: { name: 'skills', description: 'Guides for agents and people, one for each kind of task.' },
  subCommands: { install: skillsInstallCommand, list: skillsListCommand, view: skillsViewCommand },
});
