import { defineCommand } from 'citty';
import { dataCheckCommand } from './data-check.ts';
import { dataExportCommand } from './data-export.ts';
import { dataImportCommand } from './data-import.ts';
import { dataRerollCommand } from './data-reroll.ts';
import { dataSetsCommand } from './data-sets.ts';

export const dataCommand = defineCommand({
  meta: { name: 'data', description: 'Data sets: make, check, export and import them.' },
  subCommands: {
    check: dataCheckCommand,
    export: dataExportCommand,
    import: dataImportCommand,
    reroll: dataRerollCommand,
    sets: dataSetsCommand,
  },
});
