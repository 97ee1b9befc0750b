import { describeRounds, findMedian } from '../../../kit/quantiles.ts';
import { reportTimed, watchNeighbours } from '../../../kit/report-timed.ts';
import { startVersitygw, whyNoVersitygw } from '../../../peers/versitygw/start-versitygw.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { offerGroups } from '../load/offer-groups.ts';
import { openPlace } from '../load/open-place.ts';

const SHARE = 0.7;
const BUCKET = 'bench';
/** Code that has run a few hundred times is what a server that is up has. */
const WARM_UP = 600;

/** What it costs to keep payloads in an object store. */
export const blobScenario: Scenario = {
  name: 'blobs',
  title: 'Groups of 16 × 1,024 tokens as fast as they go, payloads in a bucket beside payloads in files.',
  async run(context) {
    const line = { name: 'ingest, S3 beside files', bar: `≥ ${SHARE}×` };
    const why = whyNoVersitygw();
    if (why !== undefined) return context.reportNotRun({ ...line, why });
    const s3 = await startVersitygw(await context.scratch());
    context.defer(async () => s3[Symbol.asyncDispose]());
    await s3.makeBucket(BUCKET);
    const settings = { LACHESIS_BLOBS: `s3://${BUCKET}/library`, ...s3.env };
    const places = [await openPlace(context, { size: 1 }), await openPlace(context, { size: 1, settings })];
    const groups = context.full ? 1_500 : 240;
    const rates = places.map((): number[] => []);
    for (const { clients } of places) await offerGroups({ clients, groups: WARM_UP, tokens: 1_024 });
    const countForeign = watchNeighbours(places[0]?.ownRoots ?? []);
    for (let round = 0; round < 3; round += 1) {
      for (const [index, { clients }] of places.entries()) {
        const { seconds } = await offerGroups({ clients, groups, tokens: 1_024 });
        rates[index]?.push(groups / seconds);
      }
    }
    const [files = 0, bucket = 0] = rates.map((of) => findMedian(of));
    const figure = `${(bucket / files).toFixed(2)}× (${bucket.toFixed(0)} against ${files.toFixed(0)} groups/s; ${describeRounds(rates[1] ?? [], 0)} against ${describeRounds(rates[0] ?? [], 0)}; the S3 server is on the same machine)`;
    reportTimed(context, { ...line, figure, ok: bucket / files >= SHARE }, countForeign());
  },
};
