import { useState, type ReactNode } from 'react';
import { applyScheme, readScheme, type Scheme } from './scheme.ts';

const NEXT: Readonly<Record<Scheme, Scheme>> = { system: 'light', light: 'dark', dark: 'system' };
const NAMES: Readonly<Record<Scheme, string>> = { system: 'system', light: 'light', dark: 'dark' };

export function SchemeSwitch(): ReactNode {
  const [scheme, setScheme] = useState(readScheme);
  return (
    <button
      type="button"
      className="quiet"
      onClick={() => {
        applyScheme(NEXT[scheme]);
        setScheme(NEXT[scheme]);
      }}
    >
      Colours <span className="soft">{NAMES[scheme]}</span>
    </button>
  );
}
