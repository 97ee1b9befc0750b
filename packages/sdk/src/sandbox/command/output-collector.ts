import type { OutputChunk } from '../sandbox.ts';

export interface OutputCollectorOptions {
  readonly limitBytes: number;
  /** Called once, when more came than may be kept. */
  onFull(): void;
}

export interface OutputCollector {
  /** Answers the part that was kept. */
  push(stream: OutputChunk['stream'], bytes: Buffer): Buffer;
  read(): { stdout: Buffer; stderr: Buffer; output: Buffer; isTruncated: boolean };
}

/** Keeps what two streams print up to a limit over both, in the order of arrival. */
export function createOutputCollector({ limitBytes, onFull }: OutputCollectorOptions): OutputCollector {
  const kept: { stream: OutputChunk['stream']; bytes: Buffer }[] = [];
  let keptBytes = 0;
  let isTruncated = false;
  const join = (stream?: OutputChunk['stream']): Buffer =>
    Buffer.concat(kept.filter((each) => stream === undefined || each.stream === stream).map((each) => each.bytes));
  return {
    push(stream, bytes) {
      const part = bytes.subarray(0, Math.max(0, limitBytes - keptBytes));
      if (part.length > 0) kept.push({ stream, bytes: part });
      keptBytes += part.length;
      if (part.length < bytes.length && !isTruncated) {
        isTruncated = true;
        onFull();
      }
      return part;
    },
    read: () => ({ stdout: join('stdout'), stderr: join('stderr'), output: join(), isTruncated }),
  };
}
