/** The first whose SQLite and type stripping the servers are tested on. */
export const LEAST_NODE = 24;

/** Why this Node cannot run the program, or undefined. It is asked before anything that an older one could not even load. */
export function refuseOldNode(version: string): string | undefined {
  const major = Number(/^v?(\d+)\./.exec(version)?.[1] ?? 0);
  if (major >= LEAST_NODE) return undefined;
  return (
    `Lachesis needs Node ${LEAST_NODE} or newer, this is ${version.replace(/^v/, '')}. ` +
    `Install it, for example with \`nvm install ${LEAST_NODE}\`, and type the command again.`
  );
}
