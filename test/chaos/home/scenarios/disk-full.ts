import { setTimeout as sleep } from 'node:timers/promises';

import { findQuietPort } from '../../../kit/find-quiet-port.ts';
import { mountSmallDisk } from '../../../kit/mount-small-disk.ts';
import { waitForHttp } from '../../../kit/wait-for-http.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { startSubject } from '../../trajectory-api/subject/start-subject.ts';
import { pushGroups, trainOnAll } from '../payloads.ts';

const MEGABYTES = 40;
/** The server looks at the disk once a second. */
const LOOK_MS = 1_200;

/** A server that is started on a disk with no room left. */
export const diskFullScenario: Scenario = {
  name: 'disk-full',
  title:
    'a home on a full disk: pushes are refused, the server starts again there, and what was acknowledged is served',
  async run(context) {
    const bar = 'pushes refused while full, started again there, all acknowledged served after';
    const directory = await context.scratch();
    const mounted = await mountSmallDisk({ directory, megabytes: MEGABYTES }).catch((error: unknown) => String(error));
    if (typeof mounted === 'string') {
      context.reportNotRun({ name: 'a full disk', why: `no disk can be mounted here: ${mounted.slice(0, 100)}`, bar });
      return;
    }
    context.defer(() => mounted.unmount());
    const subject = await startSubject({ port: await findQuietPort(), home: directory });
    context.defer(() => subject.end());
    const acknowledged = await pushGroups(subject.port, [1, 2, 3, 4, 5]);
    // The reserve of the server is gone, and the database has a little room of its own.
    await mounted.fill(512 * 1024);
    await sleep(LOOK_MS);
    const whileFull = await pushGroups(subject.port, [6, 7, 8]);
    await subject.kill('tree');
    const isBack = await waitForHttp({ url: `http://127.0.0.1:${subject.port}/health` }).then(
      () => true,
      () => false,
    );
    await mounted.free();
    await sleep(LOOK_MS);
    const after = await pushGroups(subject.port, [9]);
    const trained = await trainOnAll(subject.port);
    const owed = [...acknowledged, ...whileFull, ...after];
    context.report({
      name: 'a full disk',
      figure: `${whileFull.length} of 3 taken while full, ${isBack ? 'started again there' : 'not started again'}, ${owed.length} acknowledged in all, ${trained.length} served`,
      bar,
      ok:
        acknowledged.length === 5 &&
        whileFull.length === 0 &&
        isBack &&
        after.length === 1 &&
        trained.join() === owed.join(),
    });
  },
};
