import { appendAudit, moveAuditAnchor, openAuditKey, type Store } from '@lachesis/store';
import { userInfo } from 'node:os';

/** What a command did to the store of this machine. */
export interface LocalAction {
  /** The command, as it is typed: `token create`. */
  action: string;
  tenantId: string;
  /** Ids of what it was done to; never a text or a secret. */
  things: Readonly<Record<string, string>>;
  /** `ok` when left out. */
  result?: string;
}

/** Writes into the audit log what a command did without a server. */
export async function recordLocalAction(
  { store, home }: { store: Store; home: string },
  { action, tenantId, things, result = 'ok' }: LocalAction,
): Promise<void> {
  const key = await openAuditKey(home);
  const head = await appendAudit({
    store,
    key,
    entries: [
      {
        at: Date.now(),
        tenantId,
        action,
        tokenId: null,
        from: `cli:${readUser()}`,
        by: 'cli',
        things,
        result,
        count: 1,
      },
    ],
  });
  if (head !== undefined) await moveAuditAnchor({ home, store, head });
}

/** Some containers have users without a name. */
function readUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
