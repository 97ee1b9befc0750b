import { defineCommand } from 'citty';

export const dataCommand = defineCommand({
  meta: { name: 'data', description: 'Data sets: make, check, export and import them.' },
  subCommands: {
    check: () => import('./check.ts').then((module) => module.dataCheckCommand),
    export: () => import('./export.ts').then((module) => module.dataExportCommand),
    'from-rollouts': () => import('./from-rollouts.ts').then((module) => module.dataFromRolloutsCommand),
    import: () => import('./import.ts').then((module) => module.dataImportCommand),
    query: () => import('./query.ts').then((module) => module.dataQueryCommand),
    reroll: () => import('./reroll.ts').then((module) => module.dataRerollCommand),
    sets: () => import('./sets.ts').then((module) => module.dataSetsCommand),
  },
});
