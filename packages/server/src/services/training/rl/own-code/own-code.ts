import type { defineAdvantage, defineLoss } from '@lachesis/tinker';

/** A loss as a file exports it. */
export type OwnLoss = ReturnType<typeof defineLoss>;

/** An advantage as a file exports it. */
export type OwnAdvantage = ReturnType<typeof defineAdvantage>;

/** The keys of the section `tinker` that may name a file. */
export const CODE_KEYS = Object.freeze(['loss', 'advantage'] as const);

export type CodeKey = (typeof CODE_KEYS)[number];

/** A file that a run learns by. */
export interface CodeFile {
  readonly key: CodeKey;
  /** Its whole path. */
  readonly file: string;
  /** Of its bytes, in hexadecimal. What it imports is not part of it. */
  readonly sha256: string;
}

/** What a recipe names by file; empty where it names nothing so. */
export interface OwnCode {
  readonly loss?: OwnLoss | undefined;
  readonly advantage?: OwnAdvantage | undefined;
  readonly files: readonly CodeFile[];
}

export const NO_OWN_CODE: OwnCode = Object.freeze({ files: Object.freeze([]) });
