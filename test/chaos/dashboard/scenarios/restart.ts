import { makeTrainedRun } from '../../../../packages/server/src/services/runs/rollouts/trained-run.fixture.ts';
import { buildPage } from '../../../e2e/dashboard/build-page.ts';
import { launch } from '../../../e2e/dashboard/open-pages.ts';
import { findChromium } from '../../../kit/find-chromium.ts';
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
    const program = findChromium();
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
    // A page that goes on with what it has, and never asks again: it would say nothing and show nothing.
    const mutant = await (await browser.newContext()).newPage();
    await mutant.addInitScript(ANSWER_FROM_MEMORY);
    for (const each of [page, mutant]) {
      await each.goto(`${server.url}/runs`);
      await each.getByText(RUN).first().waitFor({ timeout: PATIENCE_MS });
    }

    await server.process.stop({ signal: 'SIGKILL' });
    const says = await appears(page.getByText('The server stopped answering'));
    const saysNothing = (await mutant.getByText('The server stopped answering').count()) === 0;
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
    const showsNothing = (await mutant.getByText(LATE_RUN).count()) === 0;
    context.report({
      name: 'seeded fault: a page that answers itself from memory',
      figure: saysNothing && showsNothing ? 'caught: it says nothing and shows nothing' : 'not caught',
      bar: 'caught',
      ok: saysNothing && showsNothing,
    });
  },
};

// Run in the page, which has other types than a test: as text. Each address is asked for once, a stream never ends.
const ANSWER_FROM_MEMORY = `(() => {
  const real = window.fetch.bind(window);
  const known = new Map();
  window.fetch = async (path, options) => {
    if (String(path).includes('/v1/stream')) return await new Promise(() => undefined);
    if (!known.has(String(path))) known.set(String(path), real(path, { ...options, signal: undefined }));
    return (await known.get(String(path))).clone();
  };
})()`;

const appears = (locator: { waitFor(options: { timeout: number }): Promise<void> }): Promise<boolean> =>
  locator.waitFor({ timeout: PATIENCE_MS }).then(
    () => true,
    () => false,
  );
