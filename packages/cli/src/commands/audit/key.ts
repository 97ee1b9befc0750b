import { defineCommand } from 'citty';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { openAuditKey } from '@lachesis/store';
import { jsonFlag } from './open-audit.ts';
import { readStorePlace } from '../../flags/library/open-local-store.ts';

const flags = {
  home: { type: 'string', description: 'folder of the key [LACHESIS_HOME]' },
  ...jsonFlag,
} as const;

export const auditKeyCommand = defineCommand({
  meta: { name: 'key', description: 'Print the public key that the log of this home is signed with.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const { keyId, pem } = await openAuditKey(readStorePlace(args).home);
    process.stdout.write(args.json === true ? `${JSON.stringify({ key_id: keyId, public_key: pem })}\n` : pem);
  },
});
