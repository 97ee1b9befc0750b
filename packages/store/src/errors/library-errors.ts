import { hasErrorKind, StoreError } from './store-error.ts';

const TRAJECTORY_MISSING = 'TrajectoryMissingError';
const TRAJECTORY_OWNED = 'TrajectoryOwnedError';
const HELD_OUT = 'HeldOutError';

/** No trajectory with this id: it was never recorded, or it was forgotten. */
export class TrajectoryMissingError extends StoreError {
  readonly retryable = false;
  readonly trajectoryId: string;

  constructor(options: { trajectoryId: string }) {
    super(
      TRAJECTORY_MISSING,
      `There is no trajectory ${options.trajectoryId}. Look its id up with \`lachesis trajectories list\`.`,
    );
    this.trajectoryId = options.trajectoryId;
  }

  static isInstance(error: unknown): error is TrajectoryMissingError {
    return hasErrorKind(error, TRAJECTORY_MISSING);
  }
}

/** A record names a trajectory that another token began. */
export class TrajectoryOwnedError extends StoreError {
  readonly retryable = false;
  readonly recordId: string;

  constructor(options: { recordId: string; key: string }) {
    super(
      TRAJECTORY_OWNED,
      `The trajectory ${JSON.stringify(options.key)} was begun with another token. Send it with that one, or name another.`,
    );
    this.recordId = options.recordId;
  }

  static isInstance(error: unknown): error is TrajectoryOwnedError {
    return hasErrorKind(error, TRAJECTORY_OWNED);
  }
}

/** Rows of a data set for training are in a held-out set. */
export class HeldOutError extends StoreError {
  readonly retryable = false;
  /** The data set that was to be made. */
  readonly dataset: string;
  /** Which rows, from 0, and the held-out sets they are in, as `name@version`. */
  readonly rows: readonly { rowIndex: number; heldOut: string }[];

  constructor(options: { dataset: string; rows: readonly { rowIndex: number; heldOut: string }[] }) {
    const { dataset, rows } = options;
    const sets = [...new Set(rows.map(({ heldOut }) => heldOut))].join(', ');
    const shown = [...new Set(rows.map(({ rowIndex }) => rowIndex))];
    super(
      HELD_OUT,
      `${shown.length} rows of the data set ${dataset} are held out in ${sets}: ` +
        `rows ${shown.slice(0, 10).join(', ')}${shown.length > 10 ? ', …' : ''}. Leave them out; held-out rows are for evaluation only.`,
    );
    this.dataset = dataset;
    this.rows = rows;
  }

  static isInstance(error: unknown): error is HeldOutError {
    return hasErrorKind(error, HELD_OUT);
  }
}
