/** A sampled sequence as the protocol writes it: enough of protobuf for one message that never changes. */
export function encodeSample(options: { tokens: Int32Array; logprobs: Float32Array }): Buffer {
  const sequence = [
    // Stopped by its length.
    Buffer.of(0x08, 0x01),
    encodeBytes(2, options.tokens),
    encodeBytes(3, options.logprobs),
  ];
  return encodeBytes(1, Buffer.concat(sequence));
}

function encodeBytes(field: number, content: ArrayBufferView): Buffer {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const header = [field * 8 + 2];
  let length = bytes.byteLength;
  for (; length >= 0x80; length = Math.floor(length / 0x80)) header.push((length % 0x80) + 0x80);
  return Buffer.concat([Buffer.from([...header, length]), bytes]);
}
