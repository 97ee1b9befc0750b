import type { Frame, Page, Request, Response } from 'playwright-core';
import type { EgressLogEntry } from '../../../egress/proxy/egress-log.ts';
import { plainHost } from '../../../egress/read-allow-list.ts';
import type { OpenedBrowser } from './open-browser.ts';

const PAGE_MS = 45_000;
const MOST_TRIES = 8;
const DOCUMENT_MS = 3_000;
/** What the browser shows an error page for; a download is aborted without one. */
const ENDS_WITH_PAGE = /net::(?!ERR_ABORTED)/;
/** What our proxy answers with when it does not pass a request on; servers use them too. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 429, 502]);

export interface VisitOutcome {
  /** Why the driver says that the page was not reached. */
  readonly failure?: Error | undefined;
  /** What our proxy did not pass on, of what was asked on the way to the page. */
  readonly refused?: EgressLogEntry | undefined;
}

/** Leads the page to an address, and tells what stood in its way. */
export async function goTo(opened: OpenedBrowser, address: string): Promise<VisitOutcome> {
  const page = opened.page();
  const before = opened.network.log.length;
  // Redirects lead to other hosts; what pages ask besides, such as their icon or a form's suggestions, is no way to them.
  const hosts = new Set([readHost(address)]);
  const notice = (request: Request): void => {
    if (request.isNavigationRequest()) hosts.add(readHost(request.url()));
  };
  page.on('request', notice);
  try {
    const response = await goUninterrupted(page, address);
    const status = response?.status() ?? 0;
    const refused = REFUSALS.has(status) ? findRefusal(opened.network.log.slice(before), hosts) : undefined;
    return { refused };
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    return { failure, refused: findRefusal(opened.network.log.slice(before), hosts) };
  } finally {
    page.off('request', notice);
  }
}

/**
 * A navigation that failed has its error page still on its way, and one that was interrupted is on its way itself: whatever is
 * begun before that document is there is interrupted by it, and so would be each further try by the one before.
 */
async function goUninterrupted(page: Page, address: string): Promise<Response | null> {
  const end = Date.now() + PAGE_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      return await page.goto(address, { timeout: Math.max(1, end - Date.now()), waitUntil: 'domcontentloaded' });
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      const isInterrupted = message.includes('interrupted by another navigation');
      if (isInterrupted || ENDS_WITH_PAGE.test(message)) await untilDocument(page);
      if (!isInterrupted || tries === MOST_TRIES || Date.now() >= end) throw error;
    }
  }
}

/** Waits for the document that comes next. */
async function untilDocument(page: Page): Promise<void> {
  const isMain = (frame: Frame): boolean => frame === page.mainFrame();
  await page.waitForEvent('framenavigated', { predicate: isMain, timeout: DOCUMENT_MS }).catch(() => undefined);
}

/** The last one tells: what came before it was gone past. */
function findRefusal(log: readonly EgressLogEntry[], hosts: ReadonlySet<string>): EgressLogEntry | undefined {
  return log.findLast(({ verdict, host }) => verdict !== 'allowed' && hosts.has(host));
}

function readHost(address: string): string {
  return URL.canParse(address) ? plainHost(new URL(address).hostname) : '';
}
