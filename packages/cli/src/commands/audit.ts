import { defineCommand } from 'citty';
import { auditExportCommand } from './audit-export.ts';
import { auditKeyCommand } from './audit-key.ts';
import { auditListCommand } from './audit-list.ts';
import { auditVerifyCommand } from './audit-verify.ts';

export const auditCommand = defineCommand({
  meta: { name: 'audit', description: 'Who did what: list, verify and export the signed log of this machine.' },
  subCommands: {
    export: auditExportCommand,
    key: auditKeyCommand,
    list: auditListCommand,
    verify: auditVerifyCommand,
  },
});
