import type { FeedbackInput } from '@lachesis/protocol';
import { messageText } from '@lachesis/protocol/conversation';
import { showText } from './show-text.ts';

/** What somebody said, in a line. */
export function describeFeedback(feedback: FeedbackInput): string {
  const comment = feedback.comment === null || feedback.comment === undefined ? '' : ` “${showText(feedback.comment)}”`;
  switch (feedback.kind) {
    case 'thumb':
      return `${feedback.is_up ? '▲ up' : '▼ down'}${comment}`;
    case 'stars':
      return `${'★'.repeat(feedback.stars)}${'☆'.repeat(5 - feedback.stars)} ${feedback.stars} of 5${comment}`;
    case 'text':
      return comment.trim();
    case 'edit':
      return `✎ as it should be: “${showText(messageText(feedback.edited))}”${comment}`;
    case 'choice':
      return `◀ better than ${feedback.over.trajectory_id}${comment}`;
    case 'step':
      return `${feedback.is_right ? '✓ step is right' : '✕ step is wrong'}${comment}`;
    case 'score':
      return `score ${feedback.score}${comment}`;
  }
}
