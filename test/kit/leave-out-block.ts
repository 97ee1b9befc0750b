import { readPage } from './read-page.ts';

const BLOCK = /^```[^\n]*\n[\s\S]*?^```$/gm;

/** The places of the blocks of a page that are typed or written by whoever has no account and no GPU. */
export function listFollowedBlocks(page: string): number[] {
  return readPage(page).flatMap((block, at) =>
    block.kind === 'file' || (block.kind === 'typed' && block.needs === undefined) ? [at] : [],
  );
}

/** The page without one of its blocks. */
export function leaveOutBlock(page: string, place: number): string {
  let at = -1;
  return page.replaceAll(BLOCK, (block) => {
    at += 1;
    return at === place ? '' : block;
  });
}
