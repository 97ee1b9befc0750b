import { createReplyCollector, type CallEndpoint, type CallError } from '@lachesis/sdk/capture';
import type { OpenCall } from '../recording/call-recorder.ts';
import type { UpstreamReply } from './send-upstream.ts';

/** Records the reply of an upstream while it passes. */
export interface ReplyRecorder {
  /** A piece is about to be passed on. */
  take(chunk: Buffer): void;
  /** The reply has ended, and its end is about to be passed on. */
  end(): void;
  /** The reply ends here, whoever ended it. */
  breakOff(error?: CallError): void;
}

export function recordReply(open: OpenCall, endpoint: CallEndpoint, { status, headers }: UpstreamReply): ReplyRecorder {
  const contentType = String(headers['content-type'] ?? '');
  const collector = createReplyCollector({ endpoint, status, contentType });
  return {
    take(chunk) {
      if (collector.isStream) open.begun();
      collector.add(chunk);
      // OpenAI's clients stop reading at this line: the record has to be there before it.
      if (collector.isDone) open.end(collector.end());
    },
    end: () => open.end(collector.end()),
    breakOff: (error) => open.end(collector.breakOff(error)),
  };
}
