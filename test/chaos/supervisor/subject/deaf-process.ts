/*
 * Loaded into a station before anything else: it is not told when the channel over which it was started closes. What the
 * station starts itself loads this too, and needs the channel it has with it.
 */
if (process.argv[1]?.endsWith('main.ts') === true) {
  const once = process.once.bind(process);
  Object.defineProperty(process, 'once', {
    value: (name: string, listener: () => void) => (name === 'disconnect' ? process : once(name, listener)),
  });
}
