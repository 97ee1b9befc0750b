import { ClientError } from '@lachesis/sdk';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';

/** A tool of the protocol that is none of the ten. */
export interface FurtherTool {
  readonly listed: Tool;
  /** Never rejects. */
  run(input: unknown, signal: AbortSignal): Promise<{ isFailure: boolean; value: object }>;
}

interface Shape {
  toJSONSchema(options: { io: 'input' | 'output' }): unknown;
}

/** Some clients refuse keys they do not know. */
export function describeShape(schema: Shape, io: 'input' | 'output'): Tool['inputSchema'] {
  const { $schema: _dialect, ...rest } = schema.toJSONSchema({ io }) as Record<string, unknown>;
  return { ...rest, type: 'object' };
}

export async function answerTool(work: () => Promise<object>): Promise<{ isFailure: boolean; value: object }> {
  try {
    return { isFailure: false, value: await work() };
  } catch (error) {
    const { reason, hint } = ClientError.isInstance(error)
      ? error
      : { reason: error instanceof Error ? error.message : String(error), hint: undefined };
    return { isFailure: true, value: { error: hint === undefined ? reason : `${reason} ${hint}` } };
  }
}
