/** Two wishes of the person at the keyboard: the first Ctrl-C ends in order, the second at once. */
export function listenForShutdown(): { signal: AbortSignal; hurry: AbortSignal } {
  const ending = new AbortController();
  const hurrying = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (ending.signal.aborted) hurrying.abort(new Error(name));
      else ending.abort(new Error(`ended by ${name}`));
    });
  }
  return { signal: ending.signal, hurry: hurrying.signal };
}
