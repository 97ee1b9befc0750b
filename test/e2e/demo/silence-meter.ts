export interface SilenceMeter {
  /** What the screen shows now; the same again is silence. */
  see(text: string): void;
  /** Until now, and what stood on the screen's last line meanwhile. */
  read(): { readonly seconds: number; readonly during: string };
}

/** Measures the longest time in which a screen stood still. What is drawn again as it was has not moved. */
export function createSilenceMeter(now: () => number): SilenceMeter {
  let shown = '';
  let since = now();
  let longest = { seconds: 0, during: '' };
  const note = (): void => {
    const seconds = (now() - since) / 1000;
    if (seconds > longest.seconds) longest = { seconds, during: shown.trimEnd().split('\n').at(-1)?.trim() ?? '' };
  };
  return {
    see(text) {
      if (text === shown) return;
      note();
      [shown, since] = [text, now()];
    },
    read() {
      note();
      return longest;
    },
  };
}
