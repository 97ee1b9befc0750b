import { makeTrainedRun } from '../../../../packages/server/src/services/runs/rollouts/trained-run.fixture.ts';
import { buildPage } from '../../../e2e/dashboard/build-page.ts';
import { launch } from '../../../e2e/dashboard/open-pages.ts';
import { findChromium } from '../../../e2e/thumbs/open-browser.ts';
import { findFreePort } from '../../../kit/find-free-port.ts';
import { startControlServer } from '../../../kit/start-control-server.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { listPayloads } from '../list-payloads.ts';
import { makeHostileHome, RUN } from '../make-hostile-home.ts';

const PATIENCE_MS = 60_000;
const LATE_RUN = 'z9late00';

/** A page that is open while its server dies says so, and shows what happened meanwhile when there is one again. */
export const restartScenario: Scenario = {
  name: 'restart',
  title: 'the server is killed under an open page: it says so, and catches up by itself without a gap',
  async run(context) {
    const program = await findChromium();
    if (program === undefined) {
      context.reportNotRun({ name: 'restart', why: 'there is no chromium here', bar: 'it catches up' });
      return;
    }
    await buildPage();
    const [payload] = listPayloads(1);
    const home = await makeHostileHome(await context.scratch(), () => payload!);
    const port = await findFreePort();
    let server = await startControlServer({ home, port });
    context.defer(async () => void (await server.process.stop()));
    const browser = await launch(program);
    context.defer(() => browser.close());
    const page = await (await browser.newContext()).newPage();
    let loads = 0;
    page.on('load', () => void (loads += 1));
    await page.goto(`${server.url}/runs`);
    await page.getByText(RUN).first().waitFor({ timeout: PATIENCE_MS });

    await server.process.stop({ signal: 'SIGKILL' });
    const says = await appears(page.getByText('The server stopped answering'));
    // What happens while nobody serves: another run is made.
    await makeTrainedRun({ home, run: LATE_RUN, steps: 1, groupsOf: () => [] });
    server = await startControlServer({ home, port });
    const catchesUp = await appears(page.getByText(LATE_RUN).first());
    const isWell = await page
      .getByText('The server stopped answering')
      .waitFor({ state: 'detached', timeout: PATIENCE_MS })
      .then(
        () => true,
        () => false,
      );
    const line = (name: string, isSo: boolean): void =>
      context.report({ name, figure: isSo ? 'yes' : 'no', bar: 'yes', ok: isSo });
    line('the page says that its server is gone', says);
    line('what happened meanwhile is there without a reload', catchesUp && loads === 1);
    line('and it no longer says so', isWell);
  },
};

const appears = (locator: { waitFor(options: { timeout: number }): Promise<void> }): Promise<boolean> =>
  locator.waitFor({ timeout: PATIENCE_MS }).then(
    () => true,
    () => false,
  );
