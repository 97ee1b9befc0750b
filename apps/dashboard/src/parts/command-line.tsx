import { useRef, useState, type ReactNode } from 'react';
import { useKeys } from '../shell/keys.ts';

interface CommandLineProps {
  /** Without `lachesis` before it. */
  command: string;
  /** Whether `y` copies it: the one line of the page. */
  hasKey?: boolean;
}

const SHOWN_MS = 1_500;

/** A line for the terminal, and a way to take it there. */
export function CommandLine({ command, hasKey = false }: CommandLineProps): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const text = `lachesis ${command}`;
  const copy = (): void => {
    // Where the clipboard is refused the line can still be marked by hand.
    void navigator.clipboard?.writeText(text).then(
      () => {
        setCopied(true);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => setCopied(false), SHOWN_MS);
      },
      () => undefined,
    );
  };
  useKeys(hasKey ? [{ keys: 'y', label: 'copy the lachesis line', run: copy }] : []);
  return (
    <p className="command-line">
      <code>
        <span aria-hidden="true">$ </span>
        {text}
      </code>
      <button type="button" className="quiet" onClick={copy} aria-label={`Copy: ${text}`}>
        {isCopied ? 'copied' : 'copy'}
      </button>
    </p>
  );
}
