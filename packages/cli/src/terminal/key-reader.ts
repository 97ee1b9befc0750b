/** A terminal, or a stream that stands for one. */
export interface KeyInput extends AsyncIterable<unknown> {
  isTTY?: boolean | undefined;
  setRawMode?: ((isRaw: boolean) => unknown) | undefined;
  setEncoding(encoding: 'utf8'): unknown;
  on(event: 'data', listener: (chunk: string) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  off(event: 'data', listener: (chunk: string) => void): unknown;
  off(event: 'end' | 'close', listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

export interface KeyReader {
  /** The next key; undefined when there will be none. An arrow or a pasted sequence is one key. */
  next(): Promise<string | undefined>;
  /** Gives the terminal to another program while the work lasts. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  /** The terminal is as it was. */
  close(): void;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
// An escape sequence of a special key: arrows, function keys, and Alt with a letter.
const ESCAPE = '\u001B';
const SPECIAL = /^(?:\[[0-9;?]*[ -/]*[@-~]|O[@-~]|[^[O])/u;

/** Keys one by one, without waiting for Enter. */
export function createKeyReader(input: KeyInput): KeyReader {
  const waiting: string[] = [];
  let wake: (() => void) | undefined;
  let hasEnded = false;

  const onData = (chunk: string): void => {
    waiting.push(...splitKeys(chunk));
    // Half a letter is no key yet.
    if (waiting.length > 0) wake?.();
  };
  const onEnd = (): void => {
    hasEnded = true;
    wake?.();
  };
  const take = (): void => {
    if (input.isTTY === true) input.setRawMode?.(true);
    input.on('data', onData);
    input.resume();
  };
  const give = (): void => {
    input.off('data', onData);
    if (input.isTTY === true) input.setRawMode?.(false);
    input.pause();
  };
  input.setEncoding('utf8');
  input.on('end', onEnd);
  input.on('close', onEnd);
  take();

  return {
    async next() {
      if (waiting.length === 0 && !hasEnded) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return waiting.shift();
    },
    async lend(work) {
      give();
      try {
        return await work();
      } finally {
        take();
      }
    },
    close() {
      give();
      input.off('end', onEnd);
      input.off('close', onEnd);
      onEnd();
    },
  };
}

function splitKeys(chunk: string): string[] {
  const keys: string[] = [];
  for (let rest = chunk; rest !== '';) {
    const special = rest.startsWith(ESCAPE) ? SPECIAL.exec(rest.slice(1))?.[0] : undefined;
    const key = special === undefined ? (segmenter.segment(rest).containing(0)?.segment ?? rest) : ESCAPE + special;
    keys.push(key);
    rest = rest.slice(key.length);
  }
  return keys;
}
