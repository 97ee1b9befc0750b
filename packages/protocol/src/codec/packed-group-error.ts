import { nameSection } from './sections.ts';
import type { SectionId } from './sections.ts';

const marker = Symbol.for('lachesis.protocol.packed-group-error');

/** A packed group that cannot be written or read. Says which section is at fault and why, never what it held. */
export class PackedGroupError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is PackedGroupError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'PackedGroupError';
  readonly [marker] = true;

  /** The section at fault, such as `tokens`, or `container` when the layout itself is wrong. */
  readonly section: string;

  /** What is wrong with it, without the section's name. */
  readonly reason: string;

  constructor({ section, reason, cause }: { section: string; reason: string; cause?: unknown }) {
    super(`Packed group: ${section} ${reason}.`, cause === undefined ? undefined : { cause });
    this.section = section;
    this.reason = reason;
  }
}

/** The error for a section known by its id. */
export const faultIn = (id: SectionId, reason: string, cause?: unknown): PackedGroupError =>
  new PackedGroupError({ section: nameSection(id), reason, cause });
