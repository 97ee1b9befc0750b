/** What is published has no sources: the condition by which the workspace finds them is taken out of what is packed. */
export const hooks = {
  beforePacking(manifest) {
    for (const entry of Object.values(manifest.exports ?? {})) delete entry['lachesis-source'];
    return manifest;
  },
};
