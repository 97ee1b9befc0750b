const BRAND = Symbol.for('lachesis.data.MixedKindsError');

/** A Parquet file has one set of columns, so conversations and preferences need a file each. */
export class MixedKindsError extends Error {
  override readonly name = 'MixedKindsError';
  readonly expected: string;
  readonly found: string;
  readonly id: string;
  readonly [BRAND] = true;

  constructor(facts: { expected: string; found: string; id: string }) {
    super(
      `row ${facts.id} is a ${facts.found} among rows of the kind ${facts.expected}; a Parquet file holds one kind: export conversations and preferences apart.`,
    );
    this.expected = facts.expected;
    this.found = facts.found;
    this.id = facts.id;
  }

  static isInstance(error: unknown): error is MixedKindsError {
    return typeof error === 'object' && error !== null && BRAND in error;
  }
}
