import { listToolParts } from '@lachesis/data';
import type { DataRecord } from '@lachesis/protocol';
import { checkTemplateTools, type Tokenizer } from '@lachesis/sdk/render';
import { TrainerError } from '../trainer-error.ts';
import type { RecordTrainingSettings } from './settings.ts';

/** Refuses the first row that has what the template of the model leaves out: it would be learnt as if it were not there. */
export function createToolGuard(
  tokenizer: Tokenizer,
  settings: Pick<RecordTrainingSettings, 'allow_dropped_tools' | 'use_recorded_tokens'>,
): (record: DataRecord) => void {
  let report: ReturnType<typeof checkTemplateTools> | undefined;
  return (record) => {
    if (settings.allow_dropped_tools) return;
    // Tokens that were recorded are not rendered again.
    if (settings.use_recorded_tokens && record.kind === 'conversation' && record.tokens !== null) return;
    const used = listToolParts(record);
    if (used.length === 0) return;
    report ??= checkTemplateTools(tokenizer);
    if (!report.drops.some((part) => used.includes(part))) return;
    throw new TrainerError({
      kind: 'settings',
      message: `The row ${record.id} has ${used.join(' and ')}, and ${report.problem}. Train a model whose template has them, or say allow_dropped_tools: true in a file for --config.`,
    });
  };
}
