import { defineCommand } from 'citty';
import { dataCheckCommand } from './check.ts';
import { dataExportCommand } from './export.ts';
import { dataImportCommand } from './import.ts';
import { dataRerollCommand } from './reroll.ts';
import { dataSetsCommand } from './sets.ts';

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
