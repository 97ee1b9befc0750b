import { hasErrorKind, StoreError } from './store-error.ts';

const KIND = 'StrangeBlobsError';

/** How the payloads in a folder do not fit the database. */
export type BlobsMismatch =
  /** They are marked as another database's. */
  | 'another-library'
  /** They are not marked, and the database knows none of them. */
  | 'unknown-payloads'
  /** The database has payloads and the folder has none. */
  | 'empty-folder'
  /** The database has payloads, and hardly any of them is in the folder. */
  | 'other-payloads'
  /** The folder was copied, and servers have worked on the original since. */
  | 'old-copy';

const HAPPENED: Readonly<Record<BlobsMismatch, string>> = {
  'another-library': 'belong to another database',
  'unknown-payloads': 'are not marked, and this database knows none of them: another database wrote them',
  'empty-folder': 'are missing: the folder is empty, and this database has acknowledged payloads',
  'other-payloads': 'are not those of this database: hardly any that it has acknowledged is among them',
  'old-copy': 'are a copy that was left behind: this database was opened with the original since',
};

const REMEDY: Readonly<Record<BlobsMismatch, string>> = {
  'another-library': 'Give each database a home of its own (--home).',
  'unknown-payloads':
    'Give this database a home of its own (--home); if the database of these payloads was removed for good, remove them too.',
  'empty-folder': 'Start with the home that this database was used with (--home), or mount its folder.',
  'other-payloads': 'Start with the home that this database was used with (--home).',
  'old-copy':
    'Start with the original, or copy it again after its servers have stopped. If this copy is all that is left, ' +
    'remove its file .library: what it holds is then served, and groups whose payload is gone are quarantined.',
};

const MOVE =
  'To move from SQLite to PostgreSQL: let the runs end, write what there is with ' +
  '`lachesis data export jsonl --consent keep --home OLD -o FILE`, start on PostgreSQL with a new --home, and read it in with ' +
  '`lachesis data import FILE --home NEW --database-url …` (docs/guides/home.md).';

/** The folder of payloads is not the one that this database was used with. Nothing in it was touched. */
export class StrangeBlobsError extends StoreError {
  readonly retryable = false;
  readonly directory: string;
  readonly mismatch: BlobsMismatch;

  constructor(options: { directory: string; mismatch: BlobsMismatch; isPostgres: boolean }) {
    const { directory, mismatch, isPostgres } = options;
    const move = isPostgres && (mismatch === 'another-library' || mismatch === 'unknown-payloads') ? ` ${MOVE}` : '';
    super(KIND, `The payloads in ${directory} ${HAPPENED[mismatch]}. Nothing was changed. ${REMEDY[mismatch]}${move}`);
    this.directory = directory;
    this.mismatch = mismatch;
  }

  static isInstance(error: unknown): error is StrangeBlobsError {
    return hasErrorKind(error, KIND);
  }
}
