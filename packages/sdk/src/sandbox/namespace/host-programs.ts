import { accessSync, constants } from 'node:fs';

import { SandboxError } from '../sandbox-error.ts';

/** Where the programs of the host are looked for; what the user's own path says does not matter. */
export const HOST_PATH = '/usr/bin:/bin:/usr/sbin:/sbin';

/** Throws `unavailable` where a namespace sandbox cannot be made. */
export function requirePrograms(): void {
  const missing = ['bash', 'bwrap', 'nsenter', 'tar'].filter((program) => !isInstalled(program));
  if (process.platform === 'linux' && missing.length === 0) return;
  throw new SandboxError({
    kind: 'unavailable',
    reason:
      process.platform === 'linux'
        ? `The namespace sandbox needs ${missing.join(' and ')}, and it is not installed.`
        : `The namespace sandbox needs Linux, and this is ${process.platform}.`,
    hint: 'Install bash, bubblewrap, tar and util-linux, or use another provider: container, ssh, or local for work you trust.',
  });
}

function isInstalled(program: string): boolean {
  return HOST_PATH.split(':').some((folder) => {
    try {
      accessSync(`${folder}/${program}`, constants.X_OK);
      return true;
    } catch {
      // Not in this folder.
      return false;
    }
  });
}
