/** Something of a record that a format has no place for. */
export interface Loss {
  /** Where it stood, such as `reward` or `messages.reasoning_content`. */
  field: string;
  /** In how many places. */
  count: number;
  /** Why it is not there, in one sentence. */
  reason: string;
}

/** Counts what a conversion leaves out, so that nothing goes without a word. */
export interface LossCounter {
  add(field: string, reason: string, count?: number): void;
  /** In the order in which each was met first. */
  list(): Loss[];
}

export function createLossCounter(): LossCounter {
  const losses = new Map<string, Loss>();
  return {
    add(field, reason, count = 1) {
      const key = `${field}\0${reason}`;
      const known = losses.get(key);
      if (known === undefined) losses.set(key, { field, count, reason });
      else known.count += count;
    },
    list: () => Array.from(losses.values(), (loss) => ({ ...loss })),
  };
}
