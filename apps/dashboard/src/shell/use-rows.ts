import { useEffect } from 'react';
import { useKeys } from './keys.ts';
import { useWords } from './use-search.ts';

interface RowsOptions {
  /** The ids of the rows, in order. */
  ids: readonly string[];
  onOpen: (id: string) => void;
  /** The row came into view of the keys. */
  onReach?: (index: number) => void;
}

/** `j` and `k` over rows. Which row it is stands in the address as `at`, so that the way back leads to it. */
export function useRows({ ids, onOpen, onReach }: RowsOptions): string | undefined {
  const [{ at }, setWords] = useWords();
  const index = at === undefined ? -1 : ids.indexOf(at);
  const move = (step: number): void => {
    const next = Math.min(Math.max(index + step, 0), ids.length - 1);
    const id = ids[next];
    if (id !== undefined) setWords({ at: id });
  };
  useKeys([
    { keys: 'j', label: 'next row', run: () => move(1) },
    { keys: 'k', label: 'previous row', run: () => move(-1) },
    {
      keys: 'Enter',
      label: 'open the row',
      run: () => {
        if (at !== undefined && index >= 0) onOpen(at);
      },
    },
  ]);
  useEffect(() => {
    if (index >= 0) onReach?.(index);
    // Only a move of the keys brings a row into view; new rows above it do not.
  }, [at]);
  return index >= 0 ? at : undefined;
}
