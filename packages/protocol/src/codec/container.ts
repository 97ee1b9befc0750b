import { PackedGroupError } from './packed-group-error.ts';

/*
 * The container, little-endian:
 *
 *   0   4 bytes  magic "LGRP"
 *   4   u8       format version
 *   5   u8       zero
 *   6   u16      number of sections
 *   8   u32      bytes of the whole container
 *   12  u32      zero
 *   16  16 bytes per section: u16 id, u8 dtype, u8 zero, u32 element count, u32 byte offset, u32 byte length
 *   …   the sections in table order, each at the next multiple of eight, gaps zero, no bytes after the last
 *
 * One set of sections has one set of bytes, so equal groups have equal digests.
 */

export const MAGIC = 0x5052474c; // "LGRP" read as a little-endian u32
export const FORMAT_VERSION = 1;
export const PREAMBLE_BYTES = 16;
export const ENTRY_BYTES = 16;

/** The format has 33 sections; the rest is room for newer writers, small enough that a hostile table costs nothing. */
export const MAX_SECTIONS = 1024;

/** Offsets are u32. */
export const MAX_CONTAINER_BYTES = 0xffff_ffff;

export const alignToEight = (offset: number): number => Math.ceil(offset / 8) * 8;

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Sections are read and written through typed arrays, which use the machine's byte order. */
export function requireLittleEndian(): void {
  if (!isLittleEndian) {
    throw new PackedGroupError({ section: 'container', reason: 'needs a little-endian machine' });
  }
}
