import { checkRecords } from '@lachesis/data';
import { allChecks } from '../../../../packages/data/src/check/all-checks.ts';
import { DEFECT_CLASSES } from '../../../../packages/data/src/check/check.ts';
import type { TrainabilityReport } from '../../../../packages/data/src/check/check-records.ts';
import type { ConversationRecord, DataRecord } from '@lachesis/protocol';
import { digestRecord } from '@lachesis/store';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { makeConversations } from '../make-records.ts';
import { type SeededDefect, seededDefects } from '../seeded-defects.ts';

const ROWS = 2_000;

/** Where defects are planted: apart, so that one that copies the row before never copies another. */
const PLANTED = [101, 502, 1_503];

export const checkScenario: Scenario = {
  name: 'check',
  title: 'the trainability report finds every class of defect in the rows that have it, and nothing in a clean set',
  async run(context) {
    const clean = makeConversations({ seed: 21, count: ROWS, hasOddMessages: true, hasTokens: true }).map(speak);
    const alarms = (await check(clean)).findings;
    for (const { class: name, rows } of alarms) context.log(`false alarm: ${name}, ${rows[0]?.id}: ${rows[0]?.detail}`);
    context.report({
      name: 'a clean set',
      figure: `${alarms.length} findings in ${clean.length} rows by ${allChecks.length} checks`,
      bar: '0',
      ok: alarms.length === 0 && allChecks.length === DEFECT_CLASSES.length,
    });

    let [found, caught] = [0, 0];
    for (const defect of seededDefects) {
      const spoiled = plant(clean, defect);
      const complaint = findComplaint(await check(spoiled), defect);
      if (complaint === undefined) found += 1;
      else context.log(`${defect.class}: ${complaint}`);
      const blind = allChecks.map((one) => (one.name === defect.class ? closeEyes(one) : one));
      if (findComplaint(await check(spoiled, blind), defect) !== undefined) caught += 1;
    }
    const classes = new Set(seededDefects.map((defect) => defect.class));
    context.report({
      name: 'seeded defects',
      figure: `${found} of ${seededDefects.length} found in exactly their rows, ${classes.size} classes`,
      bar: `all, ≥ 12 classes`,
      ok: found === seededDefects.length && classes.size >= 12 && DEFECT_CLASSES.every((name) => classes.has(name)),
    });
    context.report({
      name: 'a check that is blind to its class',
      figure: `noticed for ${caught} of ${seededDefects.length} defects`,
      bar: 'all',
      ok: caught === seededDefects.length,
    });
  },
};

type Check = (typeof allChecks)[number];

function check(records: readonly DataRecord[], checks?: readonly Check[]): Promise<TrainabilityReport> {
  return checkRecords(records, {
    ...(checks === undefined ? {} : { checks }),
    template,
    findHeldOut: async (digests) =>
      digests.filter((digest) => heldOut.has(digest)).map((digest) => ({ digest, dataset: 'exam@1' })),
  });
}

/** Filled from what was planted: the digests are the store's own. */
const heldOut = new Set<string>();

/** A model whose chat template says nothing of tools, while rows with tools are what was planted. */
let template: NonNullable<Parameters<typeof checkRecords>[1]>['template'];

function plant(clean: readonly ConversationRecord[], defect: SeededDefect): DataRecord[] {
  const isOfTools = defect.class === 'dropped-tools';
  template = isOfTools ? { drops: ['tools'], place: 'seeded' } : undefined;
  const rows: DataRecord[] = isOfTools ? clean.map((record) => ({ ...record, tools: null })) : [...clean];
  for (const index of PLANTED) rows[index] = defect.spoil(clean[index]!, index, clean);
  heldOut.clear();
  if (defect.class === 'held-out') for (const index of PLANTED) heldOut.add(digestRecord(rows[index]!).whole);
  return rows;
}

/** What is wrong with the report; undefined when it names the planted rows, all of them and no others, in this class alone. */
function findComplaint(report: TrainabilityReport, defect: SeededDefect): string | undefined {
  const own = report.findings.find((finding) => finding.class === defect.class);
  const rows = [...new Set(own?.rows.map(({ row }) => row))];
  if (rows.join() !== PLANTED.join()) return `rows ${rows.join() || 'none'} instead of ${PLANTED.join()}`;
  const other = report.findings.find((finding) => finding !== own);
  return other === undefined ? undefined : `also ${other.class}: ${other.rows[0]?.detail ?? ''}`;
}

const closeEyes = (one: Check): Check => ({ ...one, start: () => ({ see: () => [] }) });

/** Texts of the generator may be a single tab, which is an empty reply and rightly found. */
const speak = (record: ConversationRecord): ConversationRecord => ({
  ...record,
  messages: record.messages.map((message) =>
    message.role === 'assistant' && typeof message.content === 'string'
      ? { ...message, content: `${message.content} done` }
      : message,
  ),
});
