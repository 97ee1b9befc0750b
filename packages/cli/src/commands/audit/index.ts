import { defineCommand } from 'citty';

export const auditCommand = defineCommand({
  meta: { name: 'audit', description: 'Who did what: list, verify and export the signed log of this machine.' },
  subCommands: {
    export: () => import('./export.ts').then((module) => module.auditExportCommand),
    key: () => import('./key.ts').then((module) => module.auditKeyCommand),
    list: () => import('./list.ts').then((module) => module.auditListCommand),
    verify: () => import('./verify.ts').then((module) => module.auditVerifyCommand),
  },
});
