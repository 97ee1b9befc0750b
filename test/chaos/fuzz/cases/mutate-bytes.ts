import type { Random } from '../../simulation/random.ts';

const NUMBERS_32 = [0, 1, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];

/** The bytes with one to four small accidents: flipped bits, hostile lengths, pieces lost, doubled or appended. */
export function mutateBytes(bytes: Uint8Array, random: Random): Buffer {
  return mutate(bytes, random, ACCIDENTS);
}

/** The same without what changes the length, which formats that tell their length would refuse before anything else. */
export function mutateInPlace(bytes: Uint8Array, random: Random): Buffer {
  return mutate(bytes, random, ACCIDENTS_IN_PLACE);
}

const ACCIDENTS_IN_PLACE = 3;
const ACCIDENTS = 7;

function mutate(bytes: Uint8Array, random: Random, kinds: number): Buffer {
  let mutated: Buffer = Buffer.from(bytes);
  for (let left = 1 + random.below(4); left > 0; left -= 1) mutated = mutateOnce(mutated, random, random.below(kinds));
  return mutated;
}

function mutateOnce(bytes: Buffer, random: Random, kind: number): Buffer {
  const at = random.below(bytes.length + 1);
  const length = random.below(Math.min(64, bytes.length - at) + 1);
  switch (kind) {
    case 0: {
      if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      return bytes;
    }
    case 1: {
      if (at < bytes.length) bytes[at] = random.pick([0, 0x20, 0x22, 0x7f, 0x80, 0xc0, 0xff]);
      return bytes;
    }
    case 2: {
      const aligned = at - (at % 4);
      if (aligned + 4 <= bytes.length) bytes.writeUInt32LE(random.pick(NUMBERS_32), aligned);
      return bytes;
    }
    case 3:
      return Buffer.from(bytes.subarray(0, at));
    case 4:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 5:
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
    default:
      return Buffer.concat([bytes, makeNoise(random, random.below(200))]);
  }
}

export function makeNoise(random: Random, length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, () => random.below(256)));
}
