import type { EndRecord, OfferedTool, ChatMessage } from '@lachesis/protocol';
import { findRecorder, type RecordOptions } from './recorder/default-recorder.ts';

export interface RecordTrajectoryOptions extends RecordOptions {
  /** The whole conversation, in OpenAI's form. */
  messages: readonly ChatMessage[];
  tools?: readonly OfferedTool[] | undefined;
  model?: string | undefined;
  /** A name of the application's own, such as `support-bot`; default `application`. */
  source?: string | undefined;
  /** How it ended. A reward alone means `scored`. */
  outcome?: EndRecord['outcome'] | undefined;
  reward?: number | undefined;
  reason?: string | undefined;
}

/**
 * Records a conversation that no recorded client made, whole. Returns the key it is kept under, when it is on disk. The
 * same key again, with more messages, continues it.
 */
export function recordTrajectory(options: RecordTrajectoryOptions): string {
  const { messages, tools, model, source = 'application', reward, reason, user, tags, consent, metadata } = options;
  const { outcome = reward === undefined ? undefined : 'scored' } = options;
  const recorder = findRecorder(options);
  const trajectory = options.trajectory ?? crypto.randomUUID();
  const labels = { trajectory, user, tags, consent, metadata };
  recorder.record({
    ...labels,
    ...{ kind: 'messages', source, model: model ?? null },
    messages: [...messages],
    tools: tools === undefined ? null : [...tools],
  });
  if (outcome !== undefined) {
    const isScored = outcome === 'scored';
    recorder.record({
      ...labels,
      kind: 'end',
      outcome,
      reward: isScored ? (reward ?? null) : null,
      reason: reason ?? null,
    });
  }
  return trajectory;
}
