import { findGroups, killGroup, removeGroups } from './control-group.ts';
import type { ControlGroupHome } from './control-group.ts';
import { findProcessesByVariable, killProcess } from './processes.ts';
import { TAG_VARIABLE, hashOwner, readTag } from './tag.ts';
import type { Maker } from './tag.ts';

export interface ReapSandboxesOptions {
  /** Everybody's without it. */
  readonly owner?: string;
  readonly home?: ControlGroupHome;
  isSpared(tag: Maker & { id: string }): boolean;
}

/** Ends processes and removes groups that carry a tag; answers how many sandboxes they belonged to. */
export async function reapSandboxes({ owner, home, isSpared }: ReapSandboxesOptions): Promise<number> {
  const ownerHash = owner === undefined ? undefined : hashOwner(owner);
  const ended = new Set<string>();
  const isWanted = (text: string): boolean => {
    const tag = readTag(text);
    if (tag === undefined || isSpared(tag)) return false;
    return ownerHash === undefined || tag.ownerHash === ownerHash;
  };
  for (const { pid, value } of findProcessesByVariable(TAG_VARIABLE)) {
    if (!isWanted(value)) continue;
    ended.add(value);
    killProcess(pid);
  }
  const groups = home === undefined ? [] : findGroups(home, isWanted);
  for (const folder of groups) {
    ended.add(folder.slice(folder.lastIndexOf('/') + 1));
    killGroup(folder);
  }
  await removeGroups(groups);
  return ended.size;
}
