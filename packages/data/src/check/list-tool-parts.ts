import type { DataRecord } from '@lachesis/protocol';
import { readDialogues } from './read-dialogue.ts';

/** What a row has that a chat template may leave out: tools that were offered, and calls that were made. */
export function listToolParts(record: DataRecord): ('tool_calls' | 'tools')[] {
  const isCalled = readDialogues(record).some((messages) =>
    messages.some(({ tool_calls: calls }) => calls !== undefined && calls !== null && calls.length > 0),
  );
  return [
    ...(record.tools !== null && record.tools.length > 0 ? (['tools'] as const) : []),
    ...(isCalled ? (['tool_calls'] as const) : []),
  ];
}
