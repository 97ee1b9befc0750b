import { setTimeout as sleep } from 'node:timers/promises';

import { findQuietPort } from '../../../kit/find-quiet-port.ts';
import { mountSmallDisk } from '../../../kit/mount-small-disk.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { drain } from '../judge/drain.ts';
import { startNativeLoad, startPlainLoad } from '../load/start-load.ts';
import { waitForMore } from '../load/wait-for-more.ts';
import { startSubject } from '../subject/start-subject.ts';

const MEGABYTES = 60;
const FULL_MS = 2_500;
/** How soon groups are accepted again once there is room. */
const RESUME_MS = 10_000;
const FIRST_ACKNOWLEDGEMENTS = 100;

interface DiskCase {
  readonly name: string;
  /** What is left free, as seen by the server's own reserve. */
  readonly leaveBytes: number;
  readonly reserve: string;
  /** With room left for the database, leases and acks go on. */
  readonly consumersGoOn: boolean;
}

const CASES: readonly DiskCase[] = [
  { name: 'disk below the reserve', leaveBytes: 2_500_000, reserve: '0.05', consumersGoOn: true },
  { name: 'disk full to the last byte', leaveBytes: 0, reserve: '0', consumersGoOn: false },
];

/** Database and payloads on a small disk that somebody else fills up and frees again. */
export const diskFullScenario: Scenario = {
  name: 'disk-full',
  title: 'a full disk is answered with 507, nothing acknowledged is lost, and work goes on once there is room',
  async run(context) {
    for (const diskCase of CASES) await fillDisk(context, diskCase);
  },
};

async function fillDisk(context: ScenarioContext, diskCase: DiskCase): Promise<void> {
  const disk = await mountSmallDisk({ directory: await context.scratch(), megabytes: MEGABYTES });
  context.defer(() => disk.unmount());
  const subject = await startSubject({
    port: await findQuietPort(),
    home: disk.directory,
    settings: { LACHESIS_DISK_RESERVE: diskCase.reserve },
  });
  context.defer(() => subject.end());
  const native = await startNativeLoad({ port: subject.port, zombieShare: 0 });
  const plain = await startPlainLoad({ port: subject.port });
  const loads = [native, plain];
  context.defer(() => loads.forEach((load) => load.abandon()));
  await waitForMore(loads, FIRST_ACKNOWLEDGEMENTS);

  const childBefore = subject.childPid();
  await disk.fill(diskCase.leaveBytes);
  const trainedBefore = native.history.ended;
  await sleep(FULL_MS);
  const trainedWhileFull = native.history.ended - trainedBefore;
  await disk.free();
  const freedAt = performance.now();
  await waitForMore(loads, 1);
  const resumedMs = performance.now() - freedAt;
  await waitForMore(loads, FIRST_ACKNOWLEDGEMENTS / 2);
  const ledgers = await Promise.all(loads.map((load) => drain(load)));

  const lost = loads.reduce((sum, { history }) => sum + history.lost, 0);
  const refused = loads.map(({ client }) => client.failures.get('507') ?? 0);
  const others = loads.flatMap(({ client, history }) => [
    ...[...client.failures.keys()].filter((kind) => !['507', '429', '503'].includes(kind)),
    ...history.surprises,
  ]);
  const isBooked = loads.every(({ history }, index) => {
    const ledger = ledgers[index];
    return ledger?.balanced === true && ledger.produced === history.acknowledged;
  });
  const acknowledged = loads.reduce((sum, { history }) => sum + history.acknowledged, 0);
  const slowestMs = Math.max(...loads.map(({ client }) => client.slowestMs));
  const isRight =
    refused.every((count) => count > 0) &&
    lost === 0 &&
    native.history.twice === 0 &&
    isBooked &&
    others.length === 0 &&
    (!diskCase.consumersGoOn || trainedWhileFull > 0) &&
    subject.childPid() === childBefore;
  context.report({
    name: diskCase.name,
    figure:
      `${refused.join(' + ')} answers 507, ${acknowledged} acknowledged, ${lost} lost, ${native.history.twice} twice, ` +
      `${trainedWhileFull} trained while full, accepted again after ${Math.round(resumedMs)} ms, ` +
      `slowest answer ${Math.round(slowestMs)} ms${others.length === 0 ? '' : `, also ${others[0]}`}`,
    bar: `507 at both APIs, 0 lost, 0 twice, ledger = acknowledged, again within ${RESUME_MS} ms, same process`,
    ok: isRight && resumedMs <= RESUME_MS,
    onlyByClock: isRight,
  });
  await subject.end();
}
