import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Search } from './search.ts';

/** The words behind the ? of this address, and how to change some of them without a new place in the history. */
export function useWords(): readonly [words: Search, setWords: (change: Search) => void] {
  const words: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const setWords = useCallback(
    (change: Search) =>
      void navigate({
        to: '.',
        search: (before: Search) => ({ ...before, ...change }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  return [words, setWords];
}
