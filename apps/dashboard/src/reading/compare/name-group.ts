/** How a group is named in an address: its run, and its id. */
export const nameGroup = (run: string, group: string): string => `${run}/${group}`;

export function readGroupName(name: string | undefined): { run: string; group: string } {
  const [run = '', group = ''] = (name ?? '').split('/');
  return { run, group };
}
