/** One way in which a secret is written. */
export interface SecretForm {
  readonly group: 'provider' | 'command' | 'file' | 'sentence' | 'address' | 'header' | 'code' | 'known value';
  readonly name: string;
  readonly text: string;
  /** What must not be there afterwards, as it is written in the text. */
  readonly secret: string;
  /** The redactor is told this value, as it is told those of its environment. */
  readonly known?: string;
}

export type Noise = (length: number, alphabet?: string) => string;

/** A password as people make them: a letter, a digit and a sign are in it. */
export const password = (noise: Noise): string => `S3cret-${noise(6)}9`;

export const HEX = '0123456789abcdef';
export const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
export const DIGITS = '0123456789';
export const LOWER = 'abcdefghijklmnopqrstuvwxyz';
