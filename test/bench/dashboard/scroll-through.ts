import type { ScenarioContext } from '../../scenarios/scenario.ts';
import type { BrowserPage } from './open-browser-page.ts';

const LEAPS = 50;
const MAX_TASK_MS = 100;

/** Goes through a list from end to end and tells the longest task in it: script, style, layout and paint of the page's thread. */
export async function reportScroll(
  context: ScenarioContext,
  opened: BrowserPage,
  { name, selector }: { name: string; selector: string },
): Promise<void> {
  await reportTasks(context, opened, name, async () => {
    for (let leap = 1; leap <= LEAPS; leap += 1) {
      await opened.page.evaluate(`new Promise((done) => {
        const element = document.querySelector(${JSON.stringify(selector)});
        element.scrollTop = (element.scrollHeight - element.clientHeight) * ${leap / LEAPS};
        requestAnimationFrame(() => setTimeout(done, 0));
      })`);
    }
  });
}

async function reportTasks(
  context: ScenarioContext,
  opened: BrowserPage,
  name: string,
  act: () => Promise<void>,
): Promise<void> {
  const longest = await opened.findLongestTask(act);
  context.report({
    name,
    figure: `${longest.toFixed(0)} ms the longest task of ${LEAPS} leaps`,
    bar: `≤ ${MAX_TASK_MS} ms`,
    ok: longest <= MAX_TASK_MS,
  });
}
