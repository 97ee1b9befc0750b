import type { CallDoor, OpenCall } from '../recording/call-recorder.ts';
import { describeUpstreamError } from '../recording/describe-error.ts';
import { StreamEar } from '../recording/hear-stream.ts';
import { hearWhole } from '../recording/hear-whole.ts';
import { isFields } from '../recording/to-recorded-message.ts';
import type { UpstreamReply } from './send-upstream.ts';

/** A reply that is longer is passed on, and its record says that it was not heard. */
const MAX_HEARD_BYTES = 64 * 1024 * 1024;

/** Hears the reply of an upstream while it passes. */
export interface ReplyEar {
  /** A piece is about to be passed on. */
  take(chunk: Buffer): void;
  /** The reply has ended, and its end is about to be passed on. */
  end(): void;
  /** The reply ends here, whoever ended it. */
  breakOff(error?: { message: string; status: number | null }): void;
}

export function listenTo(open: OpenCall, door: CallDoor, { status, headers }: UpstreamReply): ReplyEar {
  const isStream = status < 400 && String(headers['content-type'] ?? '').includes('event-stream');
  return isStream ? listenToStream(open, door) : listenToWhole(open, door, status);
}

function listenToStream(open: OpenCall, door: CallDoor): ReplyEar {
  const ear = new StreamEar(door);
  const finish = (): void => {
    if (ear.error !== undefined) open.interrupted(ear.heard, ear.error);
    else if (ear.isFinished) open.complete(ear.heard);
    else open.interrupted(ear.heard, { message: 'the upstream ended the stream before the reply', status: null });
  };
  return {
    take(chunk) {
      open.begun();
      ear.take(chunk);
      // OpenAI's clients stop reading at this line: the record has to be there before it.
      if (ear.isDone) finish();
    },
    end() {
      ear.end();
      finish();
    },
    breakOff: (error) => open.interrupted(ear.heard, error),
  };
}

function listenToWhole(open: OpenCall, door: CallDoor, status: number): ReplyEar {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    take(chunk) {
      bytes += chunk.byteLength;
      if (bytes <= MAX_HEARD_BYTES) chunks.push(chunk);
      else chunks.length = 0;
    },
    end() {
      if (bytes > MAX_HEARD_BYTES) {
        open.interrupted(undefined, { message: `the reply has ${bytes} bytes, too many to record`, status });
        return;
      }
      const text = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString();
      const body = parse(text);
      if (status >= 400) open.failed(describeUpstreamError(isFields(body) ? (body['error'] ?? body) : text, status));
      else if (body === undefined) open.failed({ message: 'the reply of the upstream is not JSON', status });
      else open.complete(hearWhole(door, body));
    },
    breakOff: (error) => open.interrupted(undefined, error),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller gets the same bytes and finds the same.
    return undefined;
  }
}
