import type { OutputChunk } from '../sandbox.ts';

const HEADER_BYTES = 8;

/** Takes a container engine's output apart: each frame is a stream's number, three zero bytes, a length, and that many bytes. */
export function createFrameReader(
  onFrame: (stream: OutputChunk['stream'], bytes: Buffer) => void,
): (part: Buffer) => void {
  let waiting: Buffer = Buffer.alloc(0);
  return (part) => {
    waiting = waiting.length === 0 ? part : Buffer.concat([waiting, part]);
    while (waiting.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + waiting.readUInt32BE(4);
      if (waiting.length < end) return;
      onFrame(waiting[0] === 2 ? 'stderr' : 'stdout', waiting.subarray(HEADER_BYTES, end));
      waiting = waiting.subarray(end);
    }
  };
}
