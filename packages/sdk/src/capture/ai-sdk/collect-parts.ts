import { asObject, asText, type JsonFields } from '../calls/json-shapes.ts';
import type { GenerateResult } from './shapes.ts';

/** What the parts of a stream have come to: the result that the same call would have had whole. */
export interface CollectedParts {
  result: GenerateResult;
  error: string | undefined;
  /** The model said that it is finished. */
  isFinished: boolean;
}

export interface PartCollector {
  add(part: unknown): void;
  collected(): CollectedParts;
}

const KEPT_PARTS = new Set(['tool-call', 'tool-result', 'file', 'source']);

/** Puts the parts of a model's stream together. */
export function createPartCollector(): PartCollector {
  /** Text and thinking in the order they began; several may grow at once. */
  const open = new Map<string, { type: string; text: string }>();
  const content: { type: string }[] = [];
  let finish: JsonFields | undefined;
  let modelId: string | undefined;
  let responseId: string | undefined;
  let error: string | undefined;

  function grow(type: string, id: string, delta: string): void {
    const key = `${type} ${id}`;
    const known = open.get(key);
    if (known !== undefined) {
      known.text += delta;
      return;
    }
    const made = { type, text: delta };
    open.set(key, made);
    content.push(made);
  }

  return {
    add(value) {
      const part = asObject(value);
      const [type, id] = [asText(part['type']) ?? '', asText(part['id']) ?? ''];
      if (type === 'text-delta' || type === 'reasoning-delta') {
        grow(type.slice(0, -'-delta'.length), id, asText(part['delta']) ?? '');
      } else if (type === 'text-end' || type === 'reasoning-end') {
        open.delete(`${type.slice(0, -'-end'.length)} ${id}`);
      } else if (KEPT_PARTS.has(type)) {
        content.push({ ...part, type });
      } else if (type === 'response-metadata') {
        modelId = asText(part['modelId']) ?? modelId;
        responseId = asText(part['id']) ?? responseId;
      } else if (type === 'finish') {
        finish = part;
      } else if (type === 'error') {
        error ??= describePart(part['error']);
      }
    },
    collected: () => ({
      result: {
        content,
        finishReason: finish?.['finishReason'],
        usage: finish?.['usage'],
        response: { id: responseId, modelId },
      },
      error,
      isFinished: finish !== undefined && error === undefined,
    }),
  };
}

function describePart(error: unknown): string {
  if (error instanceof Error) return error.message;
  return asText(error) ?? asText(asObject(error)['message']) ?? JSON.stringify(error ?? null);
}
