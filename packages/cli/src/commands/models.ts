import { defineCommand } from 'citty';
import { modelsCompareCommand } from './models-compare.ts';
import { modelsExportCommand } from './models-export.ts';
import { modelsListCommand } from './models-list.ts';
import { modelsPromoteCommand, modelsRollbackCommand } from './models-promote.ts';
import { modelsShowCommand } from './models-show.ts';

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
