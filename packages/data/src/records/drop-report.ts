/** Something of a record that a format has no place for. */
export interface DroppedField {
  /** Where it stood, such as `reward` or `messages.reasoning_content`. */
  field: string;
  /** In how many places. */
  count: number;
  /** Why it is not there, in one sentence. */
  reason: string;
}

/** Counts what a conversion leaves out, so that nothing goes without a word. */
export interface DropReport {
  add(field: string, reason: string, count?: number): void;
  /** In the order in which each was met first. */
  list(): DroppedField[];
}

/** Counts the fields that a format cannot hold, so that nothing is lost without being told. */
export function createDropReport(): DropReport {
  const drops = new Map<string, DroppedField>();
  return {
    add(field, reason, count = 1) {
      const key = `${field}\0${reason}`;
      const known = drops.get(key);
      if (known === undefined) drops.set(key, { field, count, reason });
      else known.count += count;
    },
    list: () => Array.from(drops.values(), (loss) => ({ ...loss })),
  };
}
