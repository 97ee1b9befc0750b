import { isRecord } from '../values/is-record.ts';
import type { GroupPayload, JsonField } from '../codec/group-payload.ts';
import type { Report } from './collect-issues.ts';

/** The JSON fields are JSON text of the shape the Atropos wire wants, with one entry per sequence where that applies. */
export function checkJsonFields({ json = {}, tokens }: GroupPayload, report: Report): void {
  const sequences = tokens.rowLengths.length;
  for (const [field, text] of Object.entries(json) as [JsonField, Uint8Array][]) {
    const parsed = parseJson(text);
    if (parsed === undefined) report(null, field, 'is not JSON text');
    else if (field === 'messages') checkRows(field, parsed.value, sequences, checkMessages, report);
    else if (field === 'overrides') checkRows(field, parsed.value, sequences, checkObject, report);
    else if (field !== 'images' && !isRecord(parsed.value)) report(null, field, 'is not an object');
  }
}

function checkRows(
  field: string,
  value: unknown,
  sequences: number,
  checkRow: (row: unknown) => string | null,
  report: Report,
): void {
  if (!Array.isArray(value)) {
    report(null, field, 'is not a list');
    return;
  }
  if (value.length !== sequences) {
    report(null, field, `has ${value.length} entries for ${sequences} sequences`);
    return;
  }
  for (const [sequence, row] of value.entries()) {
    const fault = checkRow(row);
    if (fault !== null && !report(sequence, field, fault)) return;
  }
}

function checkMessages(row: unknown): string | null {
  if (!Array.isArray(row)) return 'is not a list of messages';
  for (const [index, message] of row.entries()) {
    if (!isRecord(message)) return `message ${index} is not an object`;
    if (!Object.hasOwn(message, 'role') || !Object.hasOwn(message, 'content')) {
      return `message ${index} lacks role or content`;
    }
  }
  return null;
}

const checkObject = (row: unknown): string | null => (isRecord(row) ? null : 'is not an object');

/** The value in a box, because null is a value; undefined when the text is not JSON in UTF-8. */
function parseJson(text: Uint8Array): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text)) as unknown };
  } catch {
    // Broken UTF-8 and broken JSON are the same to the sender: the issue names the field.
    return undefined;
  }
}
