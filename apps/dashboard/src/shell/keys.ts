import { useEffect, useRef } from 'react';

/** What a key does on the page in view. */
export interface KeyBinding {
  /** One key such as `j` or `Escape`, or two in a row such as `g r`. */
  keys: string;
  /** What it does, as the list of keys says it. */
  label: string;
  run: () => void;
}

const SEQUENCE_MS = 1_500;
const STORED = 'lachesis.single-keys';

/** The newest last: a page goes before the shell. */
const bound: { bindings: readonly KeyBinding[]; place: 'page' | 'shell' }[] = [];
let first: { key: string; until: number } | undefined;

/** Single keys can be switched off, for who speaks to the machine or types where nothing has the focus. */
export const hasSingleKeys = (): boolean => localStorage.getItem(STORED) !== 'off';
export const setSingleKeys = (isOn: boolean): void => localStorage.setItem(STORED, isOn ? 'on' : 'off');

/** The keys in effect, for the list of keys and the palette. */
export const listKeys = (place: 'page' | 'shell'): readonly KeyBinding[] =>
  bound.filter((each) => each.place === place).flatMap(({ bindings }) => bindings);

/** Keys of the component that asks, for as long as it is in view. They hold back while a field has the focus or a dialog is open. */
export function useKeys(bindings: readonly KeyBinding[], place: 'page' | 'shell' = 'page'): void {
  const newest = useRef(bindings);
  useEffect(() => {
    newest.current = bindings;
  });
  const names = bindings.map(({ keys, label }) => `${keys} ${label}`).join('\n');
  useEffect(() => {
    const entry = {
      place,
      // Read when it is pressed, so that a binding sees what the component last drew.
      bindings: newest.current.map(({ keys, label }, index) => ({
        keys,
        label,
        run: () => newest.current[index]?.run(),
      })),
    };
    bound.push(entry);
    return () => void bound.splice(bound.indexOf(entry), 1);
  }, [names, place]);
}

/** Answers to keys until it is told to end. */
export function listenForKeys(onPalette: () => void): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      onPalette();
      return;
    }
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || !hasSingleKeys()) return;
    if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
    // Enter and the space bar belong to what has the focus.
    if ((event.key === 'Enter' || event.key === ' ') && event.target !== document.body) {
      if (event.target instanceof Element && event.target.closest('a,button,summary,[role=option]') !== null) return;
    }
    press(event);
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}

function press(event: KeyboardEvent): void {
  const before = first !== undefined && first.until > event.timeStamp ? first.key : undefined;
  first = undefined;
  const all = bound.toReversed().flatMap(({ bindings }) => bindings);
  const wanted = before === undefined ? event.key : `${before} ${event.key}`;
  const binding = all.find(({ keys }) => keys === wanted);
  if (binding !== undefined) {
    event.preventDefault();
    binding.run();
  } else if (before === undefined && all.some(({ keys }) => keys.startsWith(`${event.key} `))) {
    event.preventDefault();
    first = { key: event.key, until: event.timeStamp + SEQUENCE_MS };
  }
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input:not([type=checkbox],[type=radio]),textarea,select');
}
