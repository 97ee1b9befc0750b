import { RUN_ROLES, type RunRole } from '@lachesis/protocol';
import type { ProcessTag } from './process-table.ts';

/** The variable a reaper looks for. */
export const TAG_VARIABLE = 'LACHESIS_RUN_TAG';

/** The variables that a process of a run gets; the short id and the role are for people and programs. */
export function toTagVariables(tag: ProcessTag, shortId: string): Record<string, string> {
  const parts = [tag.library, tag.tenantId, tag.runId, tag.role, tag.instanceId];
  return {
    LACHESIS_RUN_ID: shortId,
    LACHESIS_RUN_ROLE: tag.role,
    [TAG_VARIABLE]: parts.map(encodeURIComponent).join(':'),
  };
}

/** Reads the tag out of the block of variables that the system keeps of a process. */
export function readTag(variables: string): ProcessTag | undefined {
  const prefix = `${TAG_VARIABLE}=`;
  const line = variables.split('\0').find((text) => text.startsWith(prefix));
  if (line === undefined) return undefined;
  const [library, tenantId, runId, role, instanceId] = line.slice(prefix.length).split(':').map(decode);
  if (library === undefined || tenantId === undefined || runId === undefined || instanceId === undefined)
    return undefined;
  return isRole(role) ? { library, tenantId, runId, role, instanceId } : undefined;
}

/** The tag of a process that was started with these variables. */
export const readTagOf = (env: Readonly<Record<string, string | undefined>>): ProcessTag | undefined =>
  readTag(`${TAG_VARIABLE}=${env[TAG_VARIABLE] ?? ''}`);

const isRole = (role: string | undefined): role is RunRole => RUN_ROLES.some((known) => known === role);

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // A variable of that name that is not ours.
    return undefined;
  }
}
