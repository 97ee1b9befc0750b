import { defineCommand } from 'citty';
import { auditExportCommand } from './export.ts';
import { auditKeyCommand } from './key.ts';
import { auditListCommand } from './list.ts';
import { auditVerifyCommand } from './verify.ts';

export const auditCommand = defineCommand({
  meta: { name: 'audit', description: 'Who did what: list, verify and export the signed log of this machine.' },
  subCommands: {
    export: auditExportCommand,
    key: auditKeyCommand,
    list: auditListCommand,
    verify: auditVerifyCommand,
  },
});
