import { defineCommand } from 'citty';

export const modelsCommand = defineCommand({
  meta: { name: 'models', description: 'What was trained: list, compare, promote, take back, hand to other servers.' },
  subCommands: {
    compare: () => import('./compare.ts').then((module) => module.modelsCompareCommand),
    export: () => import('./export.ts').then((module) => module.modelsExportCommand),
    list: () => import('./list.ts').then((module) => module.modelsListCommand),
    promote: () => import('./promote.ts').then((module) => module.modelsPromoteCommand),
    rollback: () => import('./promote.ts').then((module) => module.modelsRollbackCommand),
    show: () => import('./show.ts').then((module) => module.modelsShowCommand),
  },
});
