import { execFileSync } from 'node:child_process';
import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deflateWireBlock } from '../ingest/deflate/deflate-wire-block.ts';
import { combineCrc32 } from './combine-crc32.ts';
import { stitchGzip } from './stitch-gzip.ts';
import type { GzipPiece } from './stitch-gzip.ts';

const text = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.nat(3000)).map(([unit, times]) => {
    return Uint8Array.from({ length: unit.length * times }, (_, index) => unit[index % unit.length]!);
  }),
);

const piece = fc.tuple(text, fc.constantFrom('stored', 'matched', 'unmatched')).map(([bytes, how]) => ({
  bytes,
  piece: (how === 'stored'
    ? bytes.slice(0, 60_000)
    : deflateWireBlock(bytes, { looksForMatches: how === 'matched' })) as GzipPiece,
  text: how === 'stored' ? bytes.slice(0, 60_000) : bytes,
}));

test('the combined CRC is that of the joined text', () => {
  fc.assert(
    fc.property(text, text, (first, second) => {
      expect(combineCrc32(crc32(first), crc32(second), second.length)).toBe(crc32(Buffer.concat([first, second])));
    }),
  );
});

test('any pieces come back joined', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const gzip = Buffer.concat(stitchGzip(pieces.map((each) => each.piece)));
      expect(gunzipSync(gzip).equals(Buffer.concat(pieces.map((each) => each.text)))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

// Without Python on the machine there is nothing to ask.
test.skipIf(!hasPython())('Python reads it whole, streamed and in one piece, as a single member', () => {
  const samples = fc.sample(fc.array(piece, { minLength: 1, maxLength: 6 }), { numRuns: 20, seed: 3 });
  const script = `
import base64, gzip, json, sys, zlib
for encoded, expected in json.load(sys.stdin):
    data, expected = base64.b64decode(encoded), base64.b64decode(expected)
    assert gzip.decompress(data) == expected
    reader = zlib.decompressobj(16 + zlib.MAX_WBITS)
    got = b''.join(reader.decompress(data[i:i + 100]) for i in range(0, len(data), 100)) + reader.flush()
    assert got == expected and reader.eof and not reader.unused_data
print('read')`;
  const input = samples.map((pieces) => [
    Buffer.concat(stitchGzip(pieces.map((each) => each.piece))).toString('base64'),
    Buffer.concat(pieces.map((each) => each.text)).toString('base64'),
  ]);
  expect(execFileSync('python3', ['-c', script], { input: JSON.stringify(input), encoding: 'utf8' }).trim()).toBe(
    'read',
  );
});

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    // The command does not exist.
    return false;
  }
}
