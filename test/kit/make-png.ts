import { deflateSync, crc32 } from 'node:zlib';

/** A picture that no other seed makes, too noisy to be small: what looks for secrets takes short texts for keys. */
export function makePng(seed: number, side = 24): Buffer {
  const rows = Buffer.alloc(side * (1 + side * 3));
  let state = seed * 2_654_435_761 + 1;
  for (let at = 0; at < rows.length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    // The first byte of each row says that it is stored as it is.
    rows[at] = at % (1 + side * 3) === 0 ? 0 : state >>> 24;
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
