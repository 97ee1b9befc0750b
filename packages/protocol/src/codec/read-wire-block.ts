import type { WireBlock } from './group-payload.ts';
import { readContainer } from './read-container.ts';
import type { StoredSections } from './read-container.ts';
import { faultIn } from './packed-group-error.ts';
import { readBytes, readU32, requireSection } from './read-sections.ts';
import { SECTION } from './sections.ts';

/** The wire block of a packed group, without looking at the rest of it. */
export function readWireBlock(bytes: Uint8Array): WireBlock | undefined {
  return wireBlockFrom(readContainer(bytes));
}

/** The wire block among sections already read. */
export function wireBlockFrom(sections: StoredSections): WireBlock | undefined {
  const deflated = sections.get(SECTION.wireDeflated);
  if (deflated === undefined) {
    if (sections.has(SECTION.wireFacts)) throw faultIn(SECTION.wireDeflated, 'is missing');
    return undefined;
  }
  const facts = readU32(SECTION.wireFacts, requireSection(sections, SECTION.wireFacts));
  if (facts.length !== 2) throw faultIn(SECTION.wireFacts, 'is not a CRC and a length');
  return { deflated: readBytes(SECTION.wireDeflated, deflated), crc32: facts[0]!, inflatedBytes: facts[1]! };
}
