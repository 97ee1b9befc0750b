import { defineCommand } from 'citty';
import { modelsCompareCommand } from './compare.ts';
import { modelsExportCommand } from './export.ts';
import { modelsListCommand } from './list.ts';
import { modelsPromoteCommand, modelsRollbackCommand } from './promote.ts';
import { modelsShowCommand } from './show.ts';

export const modelsCommand = defineCommand({
  meta: { name: 'models', description: 'What was trained: list, compare, promote, take back, hand to other servers.' },
  subCommands: {
    compare: modelsCompareCommand,
    export: modelsExportCommand,
    list: modelsListCommand,
    promote: modelsPromoteCommand,
    rollback: modelsRollbackCommand,
    show: modelsShowCommand,
  },
});
