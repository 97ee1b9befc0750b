import type { CallRecord, RecordedMessage } from '@lachesis/protocol';
import { asObject, asText, type JsonObject } from '../openai/json-shapes.ts';
import { readFinishReason, readModelUsage } from './read-result.ts';
import { toAssistantMessage } from './to-recorded-messages.ts';

export interface HeardModel {
  message: RecordedMessage;
  finishReason: string | null;
  usage: CallRecord['usage'];
  modelId: string | undefined;
  error: string | undefined;
  /** It said that it is finished. */
  isWhole: boolean;
}

/** Puts the parts of a model's stream together. */
export function createModelEar(): { hear(part: unknown): void; heard(): HeardModel } {
  /** Text and thinking in the order they began; several may grow at once. */
  const open = new Map<string, { type: string; text: string }>();
  const parts: JsonObject[] = [];
  let finish: JsonObject | undefined;
  let modelId: string | undefined;
  let error: string | undefined;

  function grow(kind: string, id: string, delta: string): void {
    const key = `${kind} ${id}`;
    const known = open.get(key);
    if (known !== undefined) {
      known.text += delta;
      return;
    }
    const made = { type: kind, text: delta };
    open.set(key, made);
    parts.push(made);
  }

  return {
    hear(value) {
      const part = asObject(value);
      const [type, id] = [asText(part['type']), asText(part['id']) ?? ''];
      if (type === 'text-delta' || type === 'reasoning-delta') {
        grow(type.slice(0, -'-delta'.length), id, asText(part['delta']) ?? '');
      } else if (type === 'text-end' || type === 'reasoning-end') {
        open.delete(`${type.slice(0, -'-end'.length)} ${id}`);
      } else if (type === 'tool-call' || type === 'tool-result' || type === 'file' || type === 'source') {
        parts.push(part);
      } else if (type === 'response-metadata') {
        modelId = asText(part['modelId']) ?? modelId;
      } else if (type === 'finish') {
        finish = part;
      } else if (type === 'error') {
        error = part['error'] instanceof Error ? part['error'].message : JSON.stringify(part['error'] ?? null);
      }
    },
    heard: () => ({
      message: toAssistantMessage(parts),
      finishReason: readFinishReason(finish?.['finishReason']),
      usage: readModelUsage(finish?.['usage']),
      ...{ modelId, error, isWhole: finish !== undefined && error === undefined },
    }),
  };
}
