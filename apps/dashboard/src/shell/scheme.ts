const STORED = 'lachesis.scheme';

export type Scheme = 'light' | 'dark' | 'system';

export function readScheme(): Scheme {
  const kept = localStorage.getItem(STORED);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Draws the page in the scheme that was chosen, or in that of the machine. */
export function applyScheme(scheme: Scheme = readScheme()): void {
  const { dataset } = document.documentElement;
  if (scheme === 'system') {
    delete dataset['scheme'];
    localStorage.removeItem(STORED);
  } else {
    dataset['scheme'] = scheme;
    localStorage.setItem(STORED, scheme);
  }
  // What is drawn on a canvas takes its colours once and has to be told.
  dispatchEvent(new CustomEvent('scheme'));
}

/** Calls back whenever the colours change, by choice or with the machine. Gives the way to end that. */
export function watchScheme(listener: () => void): () => void {
  const machine = matchMedia('(prefers-color-scheme: dark)');
  machine.addEventListener('change', listener);
  addEventListener('scheme', listener);
  return () => {
    machine.removeEventListener('change', listener);
    removeEventListener('scheme', listener);
  };
}
