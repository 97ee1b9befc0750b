import { isModelNamed, type Consent, type DataRecord } from '@lachesis/protocol';
import { digestRecord } from '@lachesis/store';
import type { DropReport } from '../records/drop-report.ts';

/** Rows asked about at once. */
const ROWS_AT_ONCE = 500;

export interface GateOptions {
  /** What people may have said for a row to pass. */
  consents: readonly Consent[];
  /** Which of these digests are in a held-out set, and in which. */
  findHeldOut: (digests: string[]) => Promise<{ digest: string; dataset: string; model?: string | null }[]>;
  drops: Pick<DropReport, 'add'>;
}

/** What every way out goes through: rows without the consent and rows of held-out sets stay behind, and are counted by reason. */
export async function* gateRecords(
  records: Iterable<DataRecord> | AsyncIterable<DataRecord>,
  options: GateOptions,
): AsyncGenerator<DataRecord> {
  let piece: DataRecord[] = [];
  for await (const record of records) {
    if (!options.consents.includes(record.consent)) {
      options.drops.add('row', `its consent is ${JSON.stringify(record.consent)}`);
      continue;
    }
    piece.push(record);
    if (piece.length < ROWS_AT_ONCE) continue;
    yield* await leaveOutHeldOut(piece, options);
    piece = [];
  }
  yield* await leaveOutHeldOut(piece, options);
}

async function leaveOutHeldOut(
  records: readonly DataRecord[],
  { findHeldOut, drops }: GateOptions,
): Promise<DataRecord[]> {
  if (records.length === 0) return [];
  const digests = records.map((record) => digestRecord(record));
  const found = await findHeldOut(digests.flatMap(({ whole, prompt }) => [whole, prompt]));
  if (found.length === 0) return [...records];
  const sets = Map.groupBy(found, ({ digest }) => digest);
  return records.filter((record, index) => {
    const { whole, prompt } = digests[index]!;
    const among = [...(sets.get(whole) ?? []), ...(sets.get(prompt) ?? [])];
    const name = among.find(({ model }) => concerns(model, record))?.dataset;
    if (name !== undefined) drops.add('row', `it is in the held-out set ${name}`);
    return name === undefined;
  });
}

/** A set that measures one model holds out nothing that another one wrote: two applications may be asked the same. */
const concerns = (measured: string | null | undefined, record: DataRecord): boolean =>
  measured === null ||
  measured === undefined ||
  record.kind !== 'conversation' ||
  record.model === null ||
  isModelNamed(record.model, measured);
