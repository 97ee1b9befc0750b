import { createLibraryClient } from '@lachesis/sdk';
import type { CaptureRecord } from '@lachesis/protocol';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findFreePort } from '../../../kit/find-free-port.ts';
import { startControlServer } from '../../../kit/start-control-server.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { openBrowserPage } from '../open-browser-page.ts';

const DASHBOARD = fileURLToPath(new URL('../../../../apps/dashboard/', import.meta.url));
const RATED = 200;
/** Some more than are rated: the queue does not end under the hand. */
const RECORDED = 220;
const KILLED_AT = 100;
/** As many as are loaded ahead: they can be rated while nobody answers. */
const RATED_ALONE = 3;
const MAX_MS = 100;
/** Nobody rates more than ten in a second. */
const PACE_MS = 100;
const PATIENCE_MS = 120_000;

const run = promisify(execFile);

/** `pnpm bench dashboard/rating`. */
export const ratingScenario: Scenario = {
  name: 'rating',
  title: `${RATED} ratings by the keyboard against a real server that is killed in the middle: nobody waits, none is lost`,
  async run(context) {
    await run('npx', ['vite', 'build'], { cwd: DASHBOARD });
    const home = await context.scratch();
    const port = await findFreePort();
    let server = await startControlServer({ home, port });
    context.defer(async () => void (await server.process.stop()));
    const library = createLibraryClient({ url: server.url });
    await library.sendRecords(Array.from({ length: RECORDED }, (_, index) => makeRecord(index)));
    const opened = await openBrowserPage(context, `${server.url}/rate`);
    if (opened === undefined) {
      context.reportNotRun({ name: 'rating', why: 'there is no /usr/bin/chromium', bar: 'rated in a browser' });
      return;
    }
    const { page } = opened;
    const title = page.locator('.rate-head h2');
    await title.waitFor({ timeout: PATIENCE_MS });
    const before = await opened.measure();
    let late = 0;
    for (let count = 0; count < RATED; count += 1) {
      if (count === KILLED_AT) await server.process.stop({ signal: 'SIGKILL' });
      if (count === KILLED_AT + RATED_ALONE) {
        server = await startControlServer({ home, port });
        // The page asks again by itself.
        await page.locator('.rate-keys').waitFor({ timeout: PATIENCE_MS });
      }
      await title.waitFor({ timeout: PATIENCE_MS });
      await page.keyboard.press(['u', 'd', '1', '2', '3', '4', '5'][count % 7] ?? 'u');
      // A frame later the next one is there, or it has to be waited for.
      const isLate = await page.evaluate(
        `new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(document.querySelector('.rate-head') === null)), ${PACE_MS}))`,
      );
      const isAlone = count >= KILLED_AT && count < KILLED_AT + RATED_ALONE;
      if (isLate === true && !isAlone) late += 1;
    }
    const { taskMs } = await opened.measure();
    const each = (taskMs - before.taskMs) / RATED;
    context.report({
      name: 'work of the page from one item to the next',
      figure: `${each.toFixed(1)} ms`,
      bar: `≤ ${MAX_MS} ms`,
      ok: each <= MAX_MS,
    });
    context.report({
      name: `items that were not there ${PACE_MS} ms after a key`,
      figure: `${late} of ${RATED}`,
      bar: '0',
      ok: late === 0,
    });
    await page.getByText('all kept').waitFor({ timeout: PATIENCE_MS });
    const kept = new Set((await library.listFeedback()).map(({ feedback }) => feedback.trajectory_id));
    context.report({
      name: 'ratings that are kept, over a kill of the server',
      figure: `${kept.size} of ${RATED}`,
      bar: String(RATED),
      ok: kept.size === RATED,
    });
    // A server that is gone is told of in the console by the browser itself.
    const problems = opened.problems.filter(
      (text) => !/ERR_CONNECTION|Failed to load resource|ERR_EMPTY_RESPONSE/u.test(text),
    );
    context.report({
      name: 'console errors, refusals of the content policy, calls to elsewhere',
      figure: problems.length === 0 ? '0' : `${problems.length}: ${problems[0]}`,
      bar: '0',
      ok: problems.length === 0,
    });
  },
};

function makeRecord(index: number): CaptureRecord {
  const at = Date.now();
  return {
    ...{
      record_id: randomUUID(),
      recorder: 'bench',
      sequence: 0,
      trajectory: `rate-${index}`,
      at,
      user: null,
      tags: [],
    },
    ...{ consent: 'train', metadata: null, kind: 'call', state: 'complete', source: 'bench', model: 'support' },
    messages: [{ role: 'user', content: `Where is order ${index}?` }],
    ...{ tools: null, sampling: {}, is_stream: false, usage: null, cost: null, upstream: null, error: null },
    replies: [
      {
        message: { role: 'assistant', content: `Order ${index} was shipped on Tuesday.` },
        ...{ finish_reason: 'stop', tokens: null, tokens_missing: 'recorded-as-text' },
      },
    ],
    ...{ started_at: at, first_token_at: null, ended_at: at },
  };
}
